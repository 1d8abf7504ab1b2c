// The charts of a run: one table for all kinds; a run gets the charts that it has figures for.
import { Chart, withValues, type ChartSpec, type Line } from './chart';
import { Clock } from './clock';
import { compact, figure, percent, seconds } from './format';
import { logSpec } from './log_spec';
import type { Figure, Grid } from './run_grid';
import type { RunData } from './run_data';
import type { Rate } from './run_model';
import { boundStyle, primaryStyle, type LineStyle } from './series_style';
import { sharedSpan, slidingMean } from './thin';
import { roundTimeline, type Timeline } from './timeline';

interface Wanted {
  channel: string;
  name: string;
  figure?: Figure;
  style: LineStyle;
  band?: boolean;
  own?: boolean; // of the run itself only, not of its forks
  sum?: boolean; // of all turns so far
  stepped?: boolean;
  sliding?: boolean; // the mean of the newest turns, unless turns are shown one by one
}

interface Sheet {
  id: string;
  title: string;
  note: string;
  lines: Wanted[];
  log?: boolean;
  floor?: number;
  clip?: boolean;
  format?: ChartSpec['format'];
  axis?: (value: number) => string;
  reference?: { value: number; text: string };
  own?: (data: RunData) => Partial<Sheet>; // what the run itself says about the chart
}

const thin: LineStyle = { ...primaryStyle, width: 1.5 };
const second: LineStyle = { colour: '--hue-3', width: 1.5, dash: [9, 3, 2, 3], mark: 'none' };
const loads = { format: (value: number | null | undefined): string => percent(value), axis: (value: number): string => `${compact(value * 100)}%` };
const each = 'Line: mean; band: least to most.';

/** An axis with a name at each member's place. */
function memberNames(members: string[]): Partial<Sheet> {
  const name = (value: number): string => members[value] ?? (Number.isInteger(value) ? figure(value + 1) : '');
  return { format: (value) => (typeof value === 'number' ? name(value) : '\u2013'), axis: name };
}

const sheets: Sheet[] = [
  {
    id: 'chart-loss', title: 'Loss of the decisions', note: 'Of what was decided before each record was known: mean of the newest turns (a tenth of all, at most 1000), and of all turns so far.',
    lines: [{ channel: 'loss', name: 'loss', style: thin, sliding: true }, { channel: 'average_loss', name: 'so far', figure: 'latest', style: second, own: true }],
    own: ({ summary }) => (typeof summary?.best_constant === 'number' ? { reference: { value: summary.best_constant, text: 'best constant' } } : {}),
  },
  {
    id: 'chart-active', title: 'Active member', note: 'Of the ensemble: whose point was played, or has the largest weight.',
    lines: [{ channel: 'active', name: 'member', figure: 'latest', style: thin, stepped: true, own: true }],
    own: ({ summary }) => memberNames(summary?.members ?? []),
  },
  { id: 'chart-cost', title: 'Cost', note: `Realised, of splits chosen before their demand was known. ${each}`, lines: [{ channel: 'cost', name: 'cost', style: thin, band: true }] },
  {
    id: 'chart-gap', title: 'Equilibrium gap', log: true, note: 'Over the last w plays, its proved bound, and of each play alone. Log scale.',
    lines: [
      { channel: 'instant_gap', name: 'of this play alone', style: { ...second, dash: [] } },
      { channel: 'gap', name: 'smoothed gap', style: thin, band: true },
      { channel: 'gap_bound', name: 'its proved bound', style: boundStyle, own: true },
    ],
  },
  { id: 'chart-objective', title: 'Objective', note: 'At each measured point.', lines: [{ channel: 'objective', name: 'objective', figure: 'latest', style: thin, band: true }] },
  {
    id: 'chart-stationarity', title: 'Stationarity gap', log: true, note: `At each turn\u2019s start. ${each} Log scale.`,
    lines: [
      { channel: 'stationarity_gap', name: 'gap', style: thin, band: true },
      { channel: 'bound', name: 'proved bound', style: boundStyle, own: true },
      { channel: 'tolerance', name: 'tolerance', style: second, own: true },
    ],
  },
  {
    id: 'chart-regret', title: 'Local regret', log: true, note: 'Of all turns shown so far, and what is proved of it. Log scale.',
    lines: [
      { channel: 'regret', name: 'regret', figure: 'latest', style: primaryStyle, sum: true },
      { channel: 'regret_bound', name: 'proved bound', figure: 'latest', style: boundStyle, own: true, sum: true },
    ],
  },
  {
    id: 'chart-load', title: 'Largest utilisation', note: `Over the links. ${each}`, floor: 0, ...loads, reference: { value: 1, text: 'capacity' },
    lines: [{ channel: 'utilisation_max', name: 'largest', style: thin, band: true }],
  },
  { id: 'chart-demand', title: 'Demand', note: 'Sum over all pairs.', floor: 0, lines: [{ channel: 'demand', name: 'total', style: thin, band: true, own: true }] },
  { id: 'chart-churn', title: 'Churn', note: 'Moved to other paths since the turn before.', floor: 0, clip: true, lines: [{ channel: 'churn', name: 'moved', style: thin, band: true }] },
  { id: 'chart-variation', title: 'Variation', log: true, note: 'What each record changed. Log scale.', lines: [{ channel: 'variation', name: 'variation', style: thin, band: true }] },
  { id: 'chart-steps', title: 'Inner steps', note: 'A turn; none where the decision was good enough as it was.', floor: 0, lines: [{ channel: 'steps', name: 'steps', style: thin, band: true }] },
  { id: 'chart-gradients', title: 'Record gradients', note: 'A turn: the learner\u2019s work.', floor: 0, lines: [{ channel: 'gradients', name: 'gradients', style: thin, band: true }] },
  { id: 'chart-passes', title: 'Passes', note: 'Over all rows, so far.', floor: 0, lines: [{ channel: 'passes', name: 'passes', figure: 'latest', style: thin }] },
  { id: 'chart-step', title: 'Step', note: 'Of the method. Log scale.', log: true, lines: [{ channel: 'step', name: 'step', figure: 'latest', style: thin }] },
  { id: 'chart-seconds', title: 'The learner\u2019s seconds', note: 'A turn, on the machine it ran on. Log scale.', log: true, format: seconds, axis: seconds, lines: [{ channel: 'seconds', name: 'seconds', style: thin, band: true }] },
];

/** A fork's lines: another colour and other dashes than the run's own and than any other fork's. */
export function forkStyle(place: number): LineStyle {
  const dashes = [[7, 3], [3, 2], [14, 4]];
  return { colour: `--hue-${[0, 1, 2][place % 3]!}`, width: 1.75, dash: dashes[place % dashes.length]!, mark: (['disc', 'square', 'triangle'] as const)[place % 3]! };
}

/** A tenth of the turns, at most as many as the metrics of the newest rows have. */
function newestTurns(grid: Grid): number {
  const { data, turn } = grid.runs[0]!.model;
  return Math.max(1, Math.min(data.summary?.window ?? 1000, Math.ceil(turn / 10)));
}

function linesOf(sheet: Sheet, grid: Grid): Line[] {
  const forked = grid.runs.length > 1;
  return grid.runs.flatMap((run, i) => sheet.lines.filter((wanted) => i === 0 || !wanted.own).flatMap((wanted): Line[] => {
    const channel = run.model.channel(wanted.channel);
    if (channel < 0) return [];
    const shift = wanted.sum && forked ? grid.shift(i, channel) : 0;
    const slides = wanted.sliding && grid.view !== 'raw';
    const own = grid.values(i, channel, wanted.figure ?? 'mean').map((value) => (shift && typeof value === 'number' ? value + shift : value));
    const values = slides ? slidingMean(own, grid.at, newestTurns(grid)) : own;
    // A name that counted them would be another one with every turn.
    const name = slides ? 'newest turns' : wanted.name;
    // Bands of several runs would hide each other; turns one by one have none.
    const band = wanted.band && !forked && grid.view !== 'raw'
      ? { band: { least: grid.values(i, channel, 'least'), most: grid.values(i, channel, 'most') } } : {};
    return [{
      name: forked && i > 0 ? `${name}, ${run.name}` : name,
      style: i === 0 ? wanted.style : forkStyle(i - 1),
      values, legendValues: forked ? grid.held(values) : values, ...band, ...(wanted.stepped ? { stepped: true } : {}),
    }];
  }));
}

function specOf(sheet: Sheet, lines: Line[]): ChartSpec {
  const { id, title, note, log, lines: _, format, own: __, ...rest } = sheet;
  if (log) {
    const span = sharedSpan(lines.flatMap((line) => [line.values, ...(line.band ? [line.band.least, line.band.most] : [])]));
    return { ...logSpec(id, title, note, span, lines), ...(format ? { format } : {}), ...(rest.axis ? { axis: rest.axis } : {}) };
  }
  return { id, title, note, lines, format: format ?? ((value) => figure(value, 4)), ...rest };
}

/** Every chart with values. */
export function runSpecs(grid: Grid): ChartSpec[] {
  const { data } = grid.runs[0]!.model;
  return withValues(sheets.map((sheet) => specOf({ ...sheet, ...sheet.own?.(data) }, linesOf(sheet, grid))));
}

/** Turns a second since the page was opened. */
function rateSpec(points: Rate['points']): ChartSpec {
  return {
    id: 'chart-rate', title: 'Throughput', note: 'Turns a second, since this page was opened.', floor: 0, format: (value) => figure(value, 3),
    lines: [{ name: 'turns a second', style: thin, values: points.map(({ rate }) => rate), stepped: true }],
  };
}
function rateTimeline(points: Rate['points']): Timeline {
  const time = roundTimeline(points.map((point) => point.time), 'turn');
  return { ...time, markText: (mark) => seconds(mark) };
}

/** Charts keep their place while lines grow; a chart is added when it gets values. */
export class ChartBoard {
  readonly main = document.createElement('div');
  readonly others = document.createElement('div');
  private readonly charts = new Map<string, Chart>();
  private readonly pace = new Clock(0); // seconds are no turns: this chart has a time of its own
  private rate: Chart | null = null;

  /** `large`: so many charts stand in `main`. */
  constructor(private readonly clock: Clock, private readonly large: number) {
    this.main.className = 'large-charts';
    this.others.className = 'small-charts run-charts';
  }

  show(grid: Grid, points: Rate['points']): void {
    const time = roundTimeline(grid.at, 'turn');
    const specs = runSpecs(grid);
    const wanted = new Set(specs.map((spec) => spec.id));
    for (const [id, chart] of this.charts) chart.element.hidden = !wanted.has(id);
    specs.forEach((spec, place) => {
      const known = this.charts.get(spec.id);
      if (known) return known.update(time, spec);
      const chart = new Chart(time, this.clock, spec);
      this.charts.set(spec.id, chart);
      const [home, among] = place < this.large ? [this.main, place] : [this.others, place - this.large];
      home.insertBefore(chart.element, home.children[among] ?? null);
    });
    if (points.length > 1) this.showRate(points);
  }

  private showRate(points: Rate['points']): void {
    const time = rateTimeline(points);
    const following = this.pace.period >= this.pace.periods - 1;
    this.pace.grow(points.length, following ? points.length - 1 : this.pace.period);
    if (this.rate) return this.rate.update(time, rateSpec(points));
    this.rate = new Chart(time, this.pace, rateSpec(points));
    this.others.append(this.rate.element);
  }
}
