// The data of a run: page data, and events since then.
import { lastNotAbove } from './data';
import { withAlarm, type RunAlarm, type RunData, type RunFork, type RunPicture, type RunState } from './run_data';
import { BucketSeries, Tail, type SeriesData } from './run_series';

export interface TurnsEvent { first: number; last: number; figures: (number | null)[][] }

export class RunModel {
  data: RunData;
  series: BucketSeries;
  tail: Tail;
  certified: number; // the turn of certificate and decision
  private begun: number; // where a series without turns begins
  private readonly marks = new Map<number, BucketSeries>(); // turns after some turns, in their own buckets
  private readonly figures = new Map<number, (number | null)[]>(); // of those turns themselves

  constructor(data: RunData) {
    this.data = data;
    this.series = new BucketSeries(data.series);
    this.tail = new Tail(data.channels.length);
    this.certified = this.begun = data.state.turn;
  }

  /** The last turn that charts show. */
  get turn(): number {
    return this.series.turn || this.begun;
  }
  get state(): RunState {
    return this.data.state;
  }
  channel(name: string): number {
    return this.data.channels.indexOf(name);
  }

  /** The turns after that one in their own buckets, if this page has seen them; else null. */
  since(turn: number): BucketSeries | null {
    if (this.series.first[0] === turn + 1) return this.series;
    const known = this.marks.get(turn);
    if (known) return known.turn === this.turn || this.turn <= turn ? known : null;
    const { turns, columns } = this.tail;
    if (this.turn > turn && !(this.tail.turn === this.turn && turns[0]! <= turn + 1)) return null;
    const series = new BucketSeries({ first: [], last: [], ...noColumns(columns.length) });
    turns.forEach((at, i) => at > turn && series.add(at, columns.map((column) => column[i]!)));
    this.marks.set(turn, series);
    this.figures.set(turn, this.data.channels.map((_, channel) => this.valueAt(channel, turn)));
    return series;
  }
  /** A figure of a turn, or of the newest single known turn before it. */
  valueAt(channel: number, turn: number): number | null {
    const marked = this.figures.get(turn)?.[channel];
    if (marked !== undefined) return marked;
    const place = turn - (this.tail.turns[0] ?? Infinity);
    if (place >= 0 && place < this.tail.turns.length) return this.tail.columns[channel]?.[place] ?? null;
    return this.series.columns[channel]?.latest[lastNotAbove(this.series.last, turn)] ?? null;
  }

  /** Newer page data. `series`: takes their series too; otherwise turns keep coming one by one. */
  take(data: RunData, series: boolean): void {
    const other = data.id !== this.data.id;
    const behind = !series && !other && data.state.turn < this.turn; // turns came in the meantime
    this.data = behind ? { ...data, state: { ...data.state, turn: this.turn } } : data;
    this.certified = data.state.turn;
    if (!series && !other) return;
    const back = other || data.state.turn < this.turn;
    this.begun = data.state.turn;
    this.series = new BucketSeries(data.series);
    if (!back) return;
    this.tail = new Tail(data.channels.length);
    this.marks.clear();
    this.figures.clear();
  }
  /** False: turns are missing in between, and nothing was taken. */
  add({ first, figures }: TurnsEvent): boolean {
    if (first > this.turn + 1) return false;
    figures.forEach((values, i) => {
      const turn = first + i;
      this.tail.add(turn, values);
      if (turn <= this.turn) return;
      for (const [mark, since] of this.marks) if (turn === (since.turn || mark) + 1) since.add(turn, values);
      this.series.add(turn, values);
    });
    if (this.turn > this.state.turn) this.data = { ...this.data, state: { ...this.state, turn: this.turn } };
    return true;
  }
  /** The turns that are also needed one by one: the first and the last of them; null: none. */
  lacking(turns: number): [number, number] | null {
    const first = Math.max(this.series.first[0] ?? 1, this.turn - turns + 1, this.state.folded + 1);
    const whole = this.tail.turns.length > 0 && this.tail.turn === this.turn;
    const last = whole ? this.tail.turns[0]! - 1 : this.turn;
    return first <= last ? [first, last] : null;
  }
  /** Turns as the service has stored them, their figures by name. */
  recall(stored: { turn: number; figures: Record<string, number | null> }[]): boolean {
    const rows = stored.map(({ figures }) => this.data.channels.map((name) => figures[name] ?? null));
    if (this.tail.turn !== this.turn) this.tail.clear();
    return this.tail.prepend(stored.map(({ turn }) => turn), rows);
  }
  replace(series: SeriesData, turn: number): void {
    this.series = new BucketSeries(series);
    this.begun = turn;
    if (turn > this.state.turn) this.data = { ...this.data, state: { ...this.state, turn } };
  }
  setState(state: RunState): void {
    this.data = { ...this.data, state };
  }
  setAlarm(alarm: RunAlarm): void {
    this.data = { ...this.data, alarms: withAlarm(this.data.alarms, alarm) };
  }
  setPicture(picture: RunPicture): void {
    this.data = { ...this.data, picture };
  }
  setForks(forks: RunFork[]): void {
    this.data = { ...this.data, forks };
  }
}

const noColumns = (channels: number): Omit<SeriesData, 'first' | 'last'> => {
  const empty = (): [][] => Array.from({ length: channels }, () => []);
  return { known: empty(), mean: empty(), least: empty(), most: empty(), latest: empty() };
};

/** Turns a second, as they arrive here. */
export class Rate {
  private seen: { time: number; turn: number }[] = [];
  private noted = -Infinity;
  readonly points: { time: number; rate: number }[] = [];

  /** `time` in seconds. */
  note(time: number, turn: number): void {
    this.seen.push({ time, turn });
    while (this.seen.length > 2 && time - this.seen[0]!.time > 5) this.seen.shift();
    const rate = this.at(time);
    if (rate === null || time - this.noted < 1) return;
    this.noted = time;
    this.points.push({ time, rate });
    if (this.points.length > 600) this.points.splice(0, 100);
  }
  /** Over the last five seconds; null: not known yet. 0 when nothing came for that long. */
  at(time: number): number | null {
    const [first, last] = [this.seen[0], this.seen[this.seen.length - 1]];
    if (!first || !last) return null;
    if (time - last.time > 5) return 0;
    return last.time > first.time ? (last.turn - first.turn) / (last.time - first.time) : null;
  }
  /** Forgets turns that were played while the page was not connected. */
  interrupt(): void {
    this.seen = [];
  }
}
