// The charts of a report: their lines and units. Charts without values are left out.
import { Chart, withValues, type ChartSpec, type Line } from './chart';
import type { Clock } from './clock';
import type { Method, ReportData, Series } from './data';
import { h } from './dom';
import { compact, figure, percent, seconds } from './format';
import { boundStyle, primaryStyle, rivalStyle, type LineStyle } from './series_style';
import { inOrder } from './sort';
import { positive, runningSums } from './thin';
import type { Timeline } from './timeline';

const linesAtFirst = 4; // rivals shown at first: the best ones

function methodLines(data: ReportData, values: (method: Method) => Series): Line[] {
  let rivals = 0;
  return inOrder(data.methods).filter((method) => method.cost.length > 0).map((method) => {
    const rival = !method.isPrimary && !method.isLowerBound;
    const style = method.isPrimary ? primaryStyle : method.isLowerBound ? boundStyle : rivalStyle(rivals);
    const hidden = rival && rivals++ >= linesAtFirst;
    return { name: method.label || method.name, style, values: values(method), hidden };
  });
}

/** Two views of costs: the excess over the clairvoyant so far, if it is known, and the cost of each period. */
export function costSpecs(data: ReportData): ChartSpec[] {
  const lowerBound = data.methods.find((method) => method.isLowerBound && method.cost.length > 0);
  const unit = data.costUnit ? `; ${data.costUnit}` : '';
  const base = { id: 'chart-cost', title: 'Cost', format: (value: number | null | undefined): string => figure(value, 5) };
  const specs: ChartSpec[] = [];
  if (lowerBound) {
    const below = runningSums(lowerBound.cost);
    const above = (method: Method): Series => runningSums(method.cost).map((sum, i) => sum - below[i]!);
    const lines = methodLines(data, above);
    specs.push({ ...base, lines, floor: 0, note: `Total so far, above that of the clairvoyant, who knew every demand before${unit}.` });
  }
  const lines = methodLines(data, (method) => method.cost);
  specs.push({ ...base, lines, note: `Of every period by itself${unit}.` });
  return specs;
}

function costChart(data: ReportData, time: Timeline, clock: Clock): HTMLElement | null {
  const specs = costSpecs(data);
  if (specs[0]!.lines.length === 0) return null;
  const chart = new Chart(time, clock, specs[0]!);
  if (specs.length > 1) {
    const note = chart.element.querySelector('.note')!;
    const buttons = ['above the lower bound', 'per period'].map((text, i) => h('button', {
      type: 'button', 'aria-pressed': String(i === 0),
      click: () => {
        buttons.forEach((button, j) => button.setAttribute('aria-pressed', String(i === j)));
        note.textContent = specs[i]!.note;
        chart.show(specs[i]!);
      },
    }, text));
    chart.element.querySelector('h2')!.after(h('div.choice', { role: 'group', 'aria-label': 'What the chart shows' }, ...buttons));
  }
  return chart.element;
}

export interface ChartElements { cost: HTMLElement | null; others: HTMLElement[] }

export function charts(data: ReportData, time: Timeline, clock: Clock): ChartElements {
  const { primary } = data;
  const style = (i: number, more: Partial<LineStyle> = {}): LineStyle => ({ ...rivalStyle(i), mark: 'none', ...more });
  const short = (value: number | null | undefined): string => figure(value, 3);
  const specs: ChartSpec[] = [
    {
      id: 'chart-load', title: 'Utilisation', note: 'Over the links, of the primary method. 100\u202f% is capacity.', floor: 0,
      format: (value) => percent(value), axis: (value) => `${compact(value * 100)}%`, reference: { value: 1, text: 'capacity' },
      lines: [
        { name: 'largest', style: primaryStyle, values: primary.utilisation_max },
        { name: '95th percentile', style: style(0, { dash: [7, 3] }), values: primary.utilisation_p95 },
        { name: 'mean', style: style(1, { dash: [9, 3, 2, 3] }), values: primary.utilisation_mean },
        { name: 'median', style: style(2, { dash: [2, 3] }), values: primary.utilisation_median },
      ],
    },
    {
      id: 'chart-demand', title: 'Demand', note: `Sum over all pairs${data.demandUnit ? `; ${data.demandUnit}` : ''}.`, floor: 0,
      format: (value) => figure(value),
      lines: [{ name: 'total', style: primaryStyle, values: primary.demand }],
    },
    {
      id: 'chart-churn', title: 'Churn', note: 'Moved to other paths since the period before.', floor: 0, clip: true,
      format: short, lines: [{ name: 'moved', style: { ...primaryStyle, width: 1.5 }, values: primary.churn }],
    },
    {
      id: 'chart-regret', title: 'Local regret', note: 'So far, and what is proved of it; log scale.', log: true,
      format: short,
      lines: [
        { name: 'regret', style: primaryStyle, values: positive(primary.regret) },
        { name: 'proved bound', style: boundStyle, values: positive(primary.regret_bound) },
      ],
    },
    {
      id: 'chart-stationarity', title: 'Stationarity gap', note: 'At a period\u2019s start, and its tolerance; log scale.',
      log: true, format: short,
      lines: [
        { name: 'gap', style: { ...primaryStyle, width: 1.5 }, values: positive(primary.entry_gap) },
        { name: 'tolerance', style: boundStyle, values: positive(primary.tolerance) },
      ],
    },
    {
      id: 'chart-steps', title: 'Inner steps', note: 'None where the splits were good enough as they were.', floor: 0,
      format: short, lines: [{ name: 'steps', style: { ...primaryStyle, width: 1.5 }, values: primary.steps, stepped: true }],
    },
    {
      id: 'chart-seconds', title: 'Time to decide', note: 'On the machine that made this report.', floor: 0, clip: true,
      format: seconds, axis: (value) => seconds(value),
      lines: [{ name: 'seconds', style: { ...primaryStyle, width: 1.5 }, values: primary.seconds, stepped: true }],
    },
  ];
  const others = withValues(specs).map((spec) => new Chart(time, clock, spec).element);
  return { cost: costChart(data, time, clock), others };
}
