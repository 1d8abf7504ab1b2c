// One chart over time, drawn by uPlot. Its legend shows the values of the period and switches lines off.
import uPlot from 'uplot';
import type { Clock } from './clock';
import { parseColour } from './colour';
import { h, oncePerFrame, panel } from './dom';
import { compact } from './format';
import { onScheme } from './scheme';
import type { Values } from './run_series';
import { drawMark, drawSwatch, type LineStyle } from './series_style';
import { nearest, type Timeline } from './timeline';

export interface Line {
  name: string;
  style: LineStyle;
  values: Values;
  legendValues?: Values; // of the legend, where the axis cannot show all of them
  band?: { least: Values; most: Values }; // bounds of the values
  stepped?: boolean;
  hidden?: boolean; // until it is switched on
  group?: string; // heading in the legend
}

export interface ChartSpec {
  id: string;
  title: string;
  note: string;
  lines: Line[];
  log?: boolean;
  format: (value: number | null | undefined) => string;
  axis?: (value: number) => string;
  span?: [number, number]; // of a logarithmic axis that others share
  floor?: number; // the axis always reaches down to it
  clip?: boolean; // a few spikes may leave the axis, and are named instead
  reference?: { value: number; text: string }; // a level worth a line of its own
}

const marksAcross = 5;

/** Without lines that have no values, and without charts that have no other lines. */
export function withValues(specs: ChartSpec[]): ChartSpec[] {
  return specs
    .map((spec) => ({ ...spec, lines: spec.lines.filter((line) => (line.legendValues ?? line.values).some((value) => value !== null && value !== undefined)) }))
    .filter((spec) => spec.lines.length > 0);
}

/** Powers of ten, at most six of them. */
function decades(low: number, high: number): number[] {
  const [from, to] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const step = Math.max(1, Math.ceil((to - from) / 5));
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => 10 ** (from + i * step));
}

/** A fill that lines can be seen through. */
const faint = (colour: string): string => `rgba(${parseColour(colour.trim()).join(',')},0.22)`;

export class Chart {
  readonly element: HTMLElement;
  private readonly frame = h('div.chart-frame', { role: 'img' });
  private readonly cursor = h('div.chart-cursor');
  private readonly legend = h('ul.chart-legend');
  private values: HTMLElement[] = []; // one for each line, like
  private shown: boolean[] = [];
  private plot: uPlot | null = null;

  constructor(private time: Timeline, private readonly clock: Clock, private spec: ChartSpec, inside = panel) {
    this.element = inside(spec.id, spec.title, spec.note, this.frame, this.legend);
    this.element.classList.add('chart');
    this.fill();
    new ResizeObserver(oncePerFrame(() => this.resize())).observe(this.frame);
    onScheme(() => this.rebuild());
    clock.listen((period) => this.point(period));
    this.listenToPointers();
  }

  /** Other lines in the same place. */
  show(spec: ChartSpec): void {
    this.spec = spec;
    this.fill();
    this.rebuild();
    this.point(this.clock.period);
  }

  /** The same lines with other values, which may be more or fewer; hidden lines stay hidden. */
  update(time: Timeline, spec: ChartSpec): void {
    const looks = ({ lines }: ChartSpec): string => JSON.stringify(lines.map(({ name, group, style, band }) => [name, group, style, Boolean(band)]));
    const same = looks(spec) === looks(this.spec);
    const hidden = new Set(this.spec.lines.filter((_, i) => !this.shown[i]).map((line) => line.name));
    this.time = time;
    this.spec = same ? spec : { ...spec, lines: spec.lines.map((line) => ({ ...line, hidden: hidden.has(line.name) })) };
    if (!same) this.fill();
    if (same && this.plot) this.plot.setData(this.columns());
    else this.rebuild();
    this.point(this.clock.period);
  }

  private fill(): void {
    this.values = this.spec.lines.map(() => h('span.value'));
    this.shown = this.spec.lines.map((line) => !line.hidden);
    this.frame.setAttribute('aria-label', `${this.spec.title} over time. ${this.spec.note}`);
    this.legend.replaceChildren(...this.spec.lines.flatMap((line, place) => {
      const button = h('button', {
        type: 'button',
        'aria-pressed': String(!line.hidden),
        click: () => {
          this.shown[place] = !this.shown[place];
          button.setAttribute('aria-pressed', String(this.shown[place]));
          this.rebuild(); // with its band
        },
      }, h('canvas.swatch', { 'aria-hidden': 'true' }), h('span.name', {}, line.name), this.values[place]!);
      const head = line.group !== undefined && line.group !== this.spec.lines[place - 1]?.group ? [h('li.group', {}, line.group)] : [];
      return [...head, h('li', {}, button)];
    }));
  }

  private point(period: number): void {
    this.spec.lines.forEach((line, i) => (this.values[i]!.textContent = this.spec.format((line.legendValues ?? line.values)[period])));
    if (this.plot?.scales.x?.min != null && period < this.time.at.length) this.cursor.style.transform = `translateX(${this.plot.valToPos(this.time.at[period]!, 'x').toFixed(1)}px)`;
  }

  /** A click, or a drag along the chart, moves the whole page to that period. */
  private listenToPointers(): void {
    const go = (event: PointerEvent): void => {
      if (!this.plot || event.buttons === 0) return;
      const box = this.plot.over.getBoundingClientRect();
      this.clock.go(nearest(this.time.at, this.plot.posToVal(event.clientX - box.left, 'x')));
    };
    this.frame.addEventListener('pointerdown', (event) => {
      if (event.pointerType === 'mouse') this.frame.setPointerCapture(event.pointerId);
      go(event);
    });
    this.frame.addEventListener('pointermove', go);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (width === 0) return;
    if (this.plot) this.plot.setSize({ width, height });
    else this.rebuild();
  }

  private rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (width === 0) return;
    const style = getComputedStyle(this.frame);
    this.plot = new uPlot(this.options(style, width, height), this.columns(), this.frame);
    this.plot.over.append(this.cursor);
    this.legend.querySelectorAll<HTMLCanvasElement>('canvas.swatch').forEach((swatch, i) => {
      drawSwatch(swatch, this.spec.lines[i]!.style);
    });
  }

  /** Visible lines with a band: they come first, so that they lie behind all lines. */
  private get bands(): Line[] {
    return this.spec.lines.filter((line, i) => line.band && this.shown[i]);
  }

  private columns(): uPlot.AlignedData {
    const bands = this.bands.flatMap(({ band }) => [band!.most, band!.least]);
    return [this.time.at, ...bands, ...this.spec.lines.map((line) => line.values)] as uPlot.AlignedData;
  }

  private options(style: CSSStyleDeclaration, width: number, height: number): uPlot.Options {
    const { spec } = this;
    const { bands } = this;
    const colour = (name: string): string => style.getPropertyValue(name);
    const font = `11px ${style.fontFamily}`;
    const axis = { stroke: colour('--soft'), font, grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
    return {
      width,
      height,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, this.time.noun === 'period' ? 10 : 18, 0, 0], // room for half a number
      scales: {
        x: { time: false, range: () => this.ends() },
        y: spec.log ? { distr: 3, ...(spec.span ? { range: () => this.spec.span ?? [0.1, 1] } : {}) } : { range: (_, low, high) => this.range(low, high) },
      },
      axes: [
        {
          ...axis,
          size: 26,
          grid: { show: false },
          splits: (plot, _, from, to) => this.time.marks(from, to, Math.max(2, plot.width / this.time.room)),
          values: (_, marks) => marks.map((mark) => this.time.markText(mark, marks.length > 1 ? marks[1]! - marks[0]! : 0)),
        },
        {
          ...axis,
          size: 48,
          space: 30,
          filter: (_, marks) => marks, // no label is left out: log axes would
          ...(spec.log ? { splits: (_plot: uPlot, _: number, low: number, high: number) => decades(low, high) } : {}),
          values: (_, marks) => marks.map((value) => (value === null ? '' : (this.spec.axis ?? compact)(value))),
        },
      ],
      bands: bands.map(({ style: { colour: name } }, i) => ({ series: [2 * i + 1, 2 * i + 2], fill: faint(colour(name)) })),
      series: [
        {},
        ...bands.flatMap((): uPlot.Series[] => [{ width: 0, points: { show: false } }, { width: 0, points: { show: false } }]),
        ...spec.lines.map((line, i): uPlot.Series => ({
          stroke: colour(line.style.colour),
          width: line.style.width,
          dash: line.style.dash,
          points: { show: false },
          show: this.shown[i]!,
          ...(line.stepped ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
        })),
      ],
      hooks: {
        // Scales are set a moment after a plot is made, and again when it changes its size.
        setScale: [() => this.point(this.clock.period)],
        setSize: [() => this.point(this.clock.period)],
        draw: [(plot) => this.drawExtras(plot, colour)],
      },
    };
  }

  private ends(): [number, number] {
    const { at } = this.time;
    const [first, last] = [at[0] ?? 0, at[at.length - 1] ?? 0];
    return [first, Math.max(first + 1, last)];
  }

  private range(low: number, high: number): [number, number] {
    const { floor, reference } = this.spec;
    if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    const from = floor === undefined ? low : Math.min(low, floor);
    const to = Math.min(Math.max(high, reference?.value ?? high), this.clipAt() ?? Infinity);
    const room = (to - from || Math.abs(to) || 1) * 0.05;
    return [from === floor ? from : from - room, to + room];
  }

  /** Twice what 99 of 100 values stay below, if some go far beyond it. */
  private clipAt(): number | null {
    if (!this.spec.clip) return null;
    const values = this.spec.lines.flatMap((line) => line.values).filter((value): value is number => typeof value === 'number').sort((a, b) => a - b);
    const usual = 2 * (values[Math.floor(values.length * 0.99)] ?? 0);
    return usual > 0 && values[values.length - 1]! > 1.5 * usual ? usual : null;
  }

  /** Marks a few times along every line, at different places so that they do not hide each other. */
  private drawExtras(plot: uPlot, colour: (name: string) => string): void {
    const pen = plot.ctx;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = plot.bbox;
    pen.save();
    pen.beginPath();
    pen.rect(left, top, width, height);
    pen.clip();
    const { reference } = this.spec;
    // Texts on a halo: lines run behind them.
    const write = (text: string, line: number): void => {
      const below = line - top < 16 * ratio;
      const y = below ? line + 3 * ratio : line - 2 * ratio;
      pen.textAlign = 'right';
      pen.textBaseline = below ? 'top' : 'bottom';
      pen.fillStyle = colour('--soft');
      pen.strokeStyle = colour('--panel');
      pen.lineWidth = 4 * ratio;
      pen.strokeText(text, left + width - 4 * ratio, y);
      pen.fillText(text, left + width - 4 * ratio, y);
    };
    if (this.clipAt() !== null) {
      const largest = Math.max(...this.spec.lines.map((line) => line.values.reduce<number>((most, value) => Math.max(most, value ?? most), 0)));
      write(`\u2191 up to ${this.spec.format(largest)}`, top);
    }
    if (reference) {
      const y = plot.valToPos(reference.value, 'y', true);
      pen.strokeStyle = colour('--soft');
      pen.lineWidth = ratio;
      pen.setLineDash([3 * ratio, 3 * ratio]);
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(left + width, y);
      pen.stroke();
      pen.setLineDash([]);
      write(reference.text, y);
    }
    const last = this.time.at.length - 1;
    this.spec.lines.forEach((line, i) => {
      if (line.style.mark === 'none' || !this.shown[i]) return;
      pen.strokeStyle = pen.fillStyle = colour(line.style.colour);
      pen.lineWidth = 1.5 * ratio;
      for (let k = 0; k < marksAcross; ++k) {
        const at = Math.round(((k + (i + 1) / (this.spec.lines.length + 1)) / marksAcross) * last);
        const value = line.values[at];
        if (value === null || value === undefined) continue;
        drawMark(pen, line.style.mark, plot.valToPos(this.time.at[at]!, 'x', true), plot.valToPos(value, 'y', true), 3 * ratio);
      }
    });
    pen.restore();
  }
}
