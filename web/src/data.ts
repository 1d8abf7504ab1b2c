// The data of a routing report, as src/route/report_data.hpp writes them. Periods are counted from 0. Figures
// have the names of the columns of periods.csv and methods.csv.

export type Series = (number | null)[];

export interface Primary {
  demand: Series;
  cost: Series;
  utilisation_max: Series;
  utilisation_p95: Series;
  utilisation_median: Series;
  utilisation_mean: Series;
  churn: Series;
  entry_gap: Series;
  tolerance: Series;
  regret: Series;
  regret_bound: Series;
  steps: Series;
  seconds: Series;
}

export interface Method {
  name: string;
  label: string;
  total_cost: number | null;
  ratio: number | null;
  churn: number | null;
  overload_share: number | null;
  utilisation_max: number | null;
  utilisation_p95: number | null;
  gradients: number | null;
  seconds: number | null;
  isPrimary: boolean;
  isLowerBound: boolean;
  cost: Series;
}

export interface Alarm {
  period: number;
  cleared: number | null;
  kind: string;
  subject: string;
  text: string;
}

export interface NetworkEvent {
  period: number;
  text: string;
  link: number | null;
  capacity: number | null;
}

export interface Claim {
  id: string;
  statement: string;
  verdict: string;
  left: number | string | null; // text as it is to be shown; empty: none
  right: number | string | null;
  explanation: string;
}

export interface ReportData {
  kind: 'route';
  title: string;
  version: string;
  command: string;
  settings: { name: string; value: string; isDefault: boolean }[];
  demandUnit: string;
  costUnit: string;
  network: {
    nodes: { name: string[]; x: number[]; y: number[] };
    links: { name: string[]; from: number[]; to: number[]; capacity: number[] };
  };
  periods: { minutes: number; labels: string[] };
  primary: Primary;
  frames: { periods: number[]; permille: string };
  methods: Method[];
  alarms: Alarm[];
  events: NetworkEvent[];
  certificate: { conclusion: string; claims: Claim[] };
  kpis: { name: string; value: string; help: string }[];
  sums: { name: string; total: number | null; parts: number | null }[];
}

/** Larger utilisations, in permille, are capped. */
export const largestPermille = 64 * 64 - 1;

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Two characters a value, six bits each, the higher ones first. */
export function unpack(text: string): Uint16Array {
  const codes = new Uint8Array(128);
  for (let i = 0; i < digits.length; ++i) codes[digits.charCodeAt(i)] = i;
  const values = new Uint16Array(text.length >> 1);
  for (let i = 0; i < values.length; ++i) {
    values[i] = (codes[text.charCodeAt(2 * i)]! << 6) | codes[text.charCodeAt(2 * i + 1)]!;
  }
  return values;
}

/** The last place in ascending `values` that is not above `value`; -1 if all are. */
export function lastNotAbove(values: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Loads on the map over time: those of the newest frame up to the period. */
export class Frames {
  private readonly values: Uint16Array;
  readonly periods: number[];
  readonly links: number;

  constructor(data: ReportData) {
    this.values = unpack(data.frames.permille);
    this.periods = data.frames.periods;
    this.links = data.network.links.name.length;
  }
  /** Permille of every link, and the period of the frame; null if there is none. */
  at(period: number): { period: number; permille: Uint16Array } | null {
    if (this.periods.length === 0) return null;
    const frame = Math.max(0, lastNotAbove(this.periods, period));
    return {
      period: this.periods[frame]!,
      permille: this.values.subarray(frame * this.links, (frame + 1) * this.links),
    };
  }
}

/** Present capacities, which events change. */
export class Capacities {
  private readonly changes = new Map<number, { period: number; capacity: number }[]>();
  private readonly original: number[];

  constructor(data: ReportData) {
    this.original = data.network.links.capacity;
    const events = [...data.events].sort((a, b) => a.period - b.period);
    for (const { link, capacity, period } of events) {
      if (link === null || capacity === null) continue;
      const known = this.changes.get(link);
      if (known) known.push({ period, capacity });
      else this.changes.set(link, [{ period, capacity }]);
    }
  }
  at(link: number, period: number): number {
    let capacity = this.original[link]!;
    for (const change of this.changes.get(link) ?? []) {
      if (change.period <= period) capacity = change.capacity;
    }
    return capacity;
  }
  usual(link: number): number {
    return this.original[link]!;
  }
  /** Links whose capacity is not the usual one in that period. */
  changed(period: number): number[] {
    return [...this.changes.keys()].filter((link) => this.at(link, period) !== this.original[link]);
  }
}

export function isActive(alarm: Alarm, period: number): boolean {
  return alarm.period <= period && (alarm.cleared === null || period < alarm.cleared);
}
