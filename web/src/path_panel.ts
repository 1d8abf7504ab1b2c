// The path of a play in the plane or in a triangle, coloured by time, with a mark at the present round.
import type { Clock } from './clock';
import { palette } from './colour';
import { lastNotAbove } from './data';
import { h, oncePerFrame, panel } from './dom';
import { figure } from './format';
import { describePlay, type Path } from './play_data';
import { cover, drawAxes, freshPen, inTriangle, leaps, Placement, type Frame } from './plot_area';
import { isDark, onScheme } from './scheme';
import { nearest } from './timeline';

const shades = 48;
const faintest = 14; // shades that are hard to see on their own are left out
const reach = 24; // of a pointer

/** Colours from the first to the last play. */
const timeColours = (): string[] => palette(isDark(), shades).slice(faintest);

function frameOf(path: Path): Frame {
  if (path.triangle) return { left: 0, right: 1, low: 0, high: Math.sqrt(3) / 2 };
  const [left, right, low, high] = path.range;
  if (!(left < right && low < high)) return cover([path]);
  const [dx, dy] = [0.04 * (right - left), 0.04 * (high - low)];
  return { left: left - dx, right: right + dx, low: low - dy, high: high + dy };
}

class PathPlot {
  private xs: number[] = []; // on the canvas
  private ys: number[] = [];
  private to: Placement | null = null;
  private readonly points: [number, number][];
  private readonly frame: Frame;
  private readonly dots: boolean;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly path: Path) {
    this.frame = frameOf(path);
    this.points = path.x.map((x, i) => {
      const y = path.y[i];
      if (x === null || y === null || y === undefined) return [NaN, NaN];
      return path.triangle ? inTriangle(x, y) : [x, y];
    });
    const { left, right, low, high } = this.frame;
    this.dots = leaps(this.points.map(([x]) => x / (right - left)), this.points.map(([, y]) => y / (high - low)));
  }

  draw(now: number): void {
    const fresh = freshPen(this.canvas);
    if (!fresh) return;
    const { pen, width, height, style } = fresh;
    const box = this.path.triangle
      ? { x: 34, y: 24, width: width - 68, height: height - 52 }
      : { x: 54, y: 8, width: width - 66, height: height - 50 };
    this.to = new Placement(this.frame, box, this.path.triangle);
    this.xs = this.points.map(([x]) => this.to!.x(x));
    this.ys = this.points.map(([, y]) => this.to!.y(y));
    if (this.path.triangle) this.drawTriangle(pen, style);
    else drawAxes(pen, this.to, style, [this.path.axes[0], this.path.axes[1]]);
    this.drawPath(pen, now, style);
    this.drawMarks(pen, now, style);
  }

  private drawTriangle(pen: CanvasRenderingContext2D, style: CSSStyleDeclaration): void {
    const to = this.to!;
    const corner = (a: number, b: number, c: number): [number, number] => {
      const [x, y] = inTriangle(b / (a + b + c), c / (a + b + c));
      return [to.x(x), to.y(y)];
    };
    pen.save();
    pen.lineWidth = 1;
    pen.strokeStyle = style.getPropertyValue('--line');
    pen.beginPath();
    for (const share of [0.25, 0.5, 0.75]) {
      const rest = 1 - share;
      for (const [from, end] of [[corner(share, rest, 0), corner(share, 0, rest)], [corner(rest, share, 0), corner(0, share, rest)],
        [corner(rest, 0, share), corner(0, rest, share)]] as const) {
        pen.moveTo(...from);
        pen.lineTo(...end);
      }
    }
    pen.stroke();
    pen.strokeStyle = style.getPropertyValue('--soft');
    pen.beginPath();
    pen.moveTo(...corner(1, 0, 0));
    pen.lineTo(...corner(0, 1, 0));
    pen.lineTo(...corner(0, 0, 1));
    pen.closePath();
    pen.stroke();
    pen.font = `12px ${style.fontFamily}`;
    pen.fillStyle = style.getPropertyValue('--ink');
    const [first, second, third] = this.path.axes;
    const [ax, ay] = corner(1, 0, 0);
    const [bx, by] = corner(0, 1, 0);
    const [cx, cy] = corner(0, 0, 1);
    pen.textBaseline = 'top';
    // Names begin and end with the canvas: a long one must not leave it.
    pen.textAlign = 'left';
    pen.fillText(first, Math.max(2, ax - 20), ay + 8);
    pen.textAlign = 'right';
    pen.fillText(second, bx + 20, by + 8);
    pen.textAlign = 'center';
    pen.textBaseline = 'bottom';
    pen.fillText(third, cx, cy - 6);
    pen.restore();
  }

  /** Later rounds as a shadow; earlier ones from faint to strong. */
  private drawPath(pen: CanvasRenderingContext2D, now: number, style: CSSStyleDeclaration): void {
    const last = this.points.length - 1;
    pen.save();
    pen.lineJoin = pen.lineCap = 'round';
    pen.lineWidth = 1;
    pen.strokeStyle = style.getPropertyValue('--line');
    this.trace(pen, Math.max(now, 0), last);
    const colours = timeColours();
    const step = Math.max(1, Math.ceil(last / colours.length));
    pen.lineWidth = this.dots ? 0.75 : last > 1500 ? 1.1 : 1.6;
    for (let from = 0, k = 0; from < now || (from === 0 && now === 0); from += step, ++k) {
      pen.strokeStyle = pen.fillStyle = colours[Math.min(colours.length - 1, k)]!;
      const end = Math.min(from + step, now);
      pen.globalAlpha = this.dots ? 0.25 : 0.9;
      this.trace(pen, from, end);
      if (!this.dots) continue;
      pen.globalAlpha = 0.9;
      for (let i = from; i <= end; ++i) {
        pen.beginPath();
        pen.arc(this.xs[i]!, this.ys[i]!, 1.8, 0, 2 * Math.PI);
        pen.fill();
      }
    }
    pen.restore();
  }

  private trace(pen: CanvasRenderingContext2D, from: number, to: number): void {
    pen.beginPath();
    let drawing = false;
    for (let i = from; i <= to; ++i) {
      const known = Number.isFinite(this.xs[i]);
      if (known && drawing) pen.lineTo(this.xs[i]!, this.ys[i]!);
      else if (known) pen.moveTo(this.xs[i]!, this.ys[i]!);
      drawing = known;
    }
    pen.stroke();
  }

  private drawMarks(pen: CanvasRenderingContext2D, now: number, style: CSSStyleDeclaration): void {
    const ground = style.getPropertyValue('--panel');
    const disc = (i: number, radius: number, fill: string, line: string): void => {
      if (!Number.isFinite(this.xs[i])) return;
      pen.beginPath();
      pen.arc(this.xs[i]!, this.ys[i]!, radius, 0, 2 * Math.PI);
      pen.fillStyle = fill;
      pen.strokeStyle = line;
      pen.lineWidth = 2;
      pen.fill();
      pen.stroke();
    };
    if (this.points.length === 0) return;
    disc(0, 4, ground, style.getPropertyValue('--ink'));
    if (now >= 0) disc(now, 6, style.getPropertyValue('--hue-0'), ground);
  }

  /** The play nearest to a point of the canvas; -1 if none is in reach. */
  playAt(x: number, y: number): number {
    let [best, least] = [-1, reach];
    this.xs.forEach((px, i) => {
      const far = Math.hypot(px - x, this.ys[i]! - y);
      if (far < least) [best, least] = [i, far];
    });
    return best;
  }
}

function legend(path: Path): HTMLElement {
  const bar = h('span.scale', { 'aria-hidden': 'true' });
  const paint = (): void => {
    bar.style.background = `linear-gradient(to right, ${timeColours().join(',')})`;
  };
  paint();
  onScheme(paint);
  return h('div.legend', {},
    h('span', {}, `round ${figure(path.rounds[0], 15)}`), bar, h('span', {}, figure(path.rounds[path.rounds.length - 1], 15)),
    h('span.key', {}, h('i.start', { 'aria-hidden': 'true' }), 'start'),
    h('span.key', {}, h('i.here', { 'aria-hidden': 'true' }), 'now'));
}

export function pathPanel(path: Path, place: number, rounds: number[], clock: Clock): HTMLElement {
  const canvas = h('canvas.plot', {
    role: 'img',
    'aria-label': `Path of the play, ${path.title}: from round ${path.rounds[0] ?? 0} to ${path.rounds[path.rounds.length - 1] ?? 0}. The play of now stands below in words.`,
  });
  const plot = new PathPlot(canvas, path);
  const where = h('output.where', { for: 'period' });
  const now = (): number => lastNotAbove(path.rounds, rounds[clock.period] ?? 0);
  const draw = (): void => plot.draw(now());
  const redraw = oncePerFrame(draw);
  clock.listen(() => {
    where.textContent = describePlay(path, now());
    redraw();
  });
  canvas.addEventListener('pointerdown', (event) => {
    const at = plot.playAt(event.offsetX, event.offsetY);
    if (at >= 0) clock.go(nearest(rounds, path.rounds[at]!));
  });
  new ResizeObserver(redraw).observe(canvas);
  onScheme(draw);
  const element = panel(`path-${place}`, path.title || 'Path of the play', 'Click a play to go there.',
    h('div.plot-frame', {}, canvas), where, legend(path));
  element.classList.add('picture');
  return element;
}
