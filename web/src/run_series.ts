// Figures of a run in a bounded number of buckets, and the last turns one by one. New turns are added as in
// src/store/series.hpp.
export type Values = (number | null | undefined)[]; // undefined: there is no point here, and no gap either

export interface SeriesData {
  first: number[];
  last: number[];
  known?: number[][]; // numbers a mean is made of; without it, all turns of the bucket
  mean: (number | null)[][]; // a column a channel
  least: (number | null)[][];
  most: (number | null)[][];
  latest: (number | null)[][];
}

export const mostBuckets = 1024;

interface Column {
  known: number[];
  mean: (number | null)[];
  least: (number | null)[];
  most: (number | null)[];
  latest: (number | null)[];
}

const smaller = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));
const larger = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));

export class BucketSeries {
  readonly first: number[];
  readonly last: number[];
  readonly columns: Column[];
  private width: number; // turns a bucket

  constructor(data: SeriesData) {
    this.first = [...data.first];
    this.last = [...data.last];
    this.width = this.first.length > 1 ? this.last[0]! - this.first[0]! + 1 : 1;
    this.columns = data.mean.map((mean, c) => ({
      known: data.known?.[c] ? [...data.known[c]!] : mean.map((value, b) => (value === null ? 0 : this.last[b]! - this.first[b]! + 1)),
      mean: [...mean],
      least: [...data.least[c]!],
      most: [...data.most[c]!],
      latest: [...data.latest[c]!],
    }));
  }

  get buckets(): number {
    return this.first.length;
  }
  /** The last turn it has seen; 0: none. */
  get turn(): number {
    return this.last[this.buckets - 1] ?? 0;
  }

  add(turn: number, values: (number | null)[]): void {
    const full = (): boolean => this.buckets === 0 || turn - this.first[this.buckets - 1]! >= this.width;
    if (full() && this.buckets === mostBuckets) this.halve();
    if (full()) this.open(turn);
    const bucket = this.buckets - 1;
    this.last[bucket] = turn;
    this.columns.forEach((column, c) => {
      const value = values[c] ?? null;
      if (value === null || !Number.isFinite(value)) return;
      const known = ++column.known[bucket]!;
      const mean = column.mean[bucket] ?? 0;
      column.mean[bucket] = mean + (value - mean) / known;
      column.least[bucket] = smaller(column.least[bucket]!, value);
      column.most[bucket] = larger(column.most[bucket]!, value);
      column.latest[bucket] = value;
    });
  }

  private open(turn: number): void {
    this.first.push(turn);
    this.last.push(turn);
    for (const column of this.columns) {
      column.known.push(0);
      for (const values of [column.mean, column.least, column.most, column.latest]) values.push(null);
    }
  }

  /** Neighbours become one, and each covers twice as many turns from then on. */
  private halve(): void {
    const half = this.buckets / 2;
    for (let b = 0; b < half; ++b) {
      const [p, q] = [2 * b, 2 * b + 1];
      this.first[b] = this.first[p]!;
      this.last[b] = this.last[q]!;
      for (const column of this.columns) {
        const known = column.known[p]! + column.known[q]!;
        const sum = column.known[p]! * (column.mean[p] ?? 0) + column.known[q]! * (column.mean[q] ?? 0);
        column.known[b] = known;
        column.mean[b] = known > 0 ? sum / known : null;
        column.least[b] = smaller(column.least[p]!, column.least[q]!);
        column.most[b] = larger(column.most[p]!, column.most[q]!);
        column.latest[b] = column.latest[q] ?? column.latest[p]!;
      }
    }
    this.first.length = this.last.length = half;
    for (const { known, mean, least, most, latest } of this.columns) {
      for (const values of [known, mean, least, most, latest]) values.length = half;
    }
    this.width *= 2;
  }
}

export const mostRaw = 1000;

/** The last turns one by one, without a hole among them. */
export class Tail {
  readonly turns: number[] = [];
  readonly columns: (number | null)[][];

  constructor(channels: number) {
    this.columns = Array.from({ length: channels }, () => []);
  }
  get turn(): number {
    return this.turns[this.turns.length - 1] ?? 0;
  }
  /** Turns that do not follow are the beginning of another tail. */
  add(turn: number, values: (number | null)[]): void {
    if (this.turns.length > 0 && turn <= this.turn) return;
    if (this.turns.length > 0 && turn !== this.turn + 1) this.clear();
    this.turns.push(turn);
    this.columns.forEach((column, c) => column.push(values[c] ?? null));
    // Many are dropped at a time: not all the others are moved for each.
    if (this.turns.length >= mostRaw) this.drop(mostRaw / 4);
  }
  clear(): void {
    this.drop(this.turns.length);
  }
  /** Turns before those that are there, if they lead up to them without a hole; true: they do. */
  prepend(turns: number[], rows: (number | null)[][]): boolean {
    const room = mostRaw / 2;
    const here = new Tail(this.columns.length);
    turns.forEach((turn, i) => i >= turns.length - room && (this.turns.length === 0 || turn < this.turns[0]!) && here.add(turn, rows[i]!));
    if (here.turns.length === 0 || (this.turns.length > 0 && here.turn + 1 !== this.turns[0])) return false;
    this.turns.unshift(...here.turns);
    this.columns.forEach((column, c) => column.unshift(...here.columns[c]!));
    if (this.turns.length > mostRaw) this.drop(this.turns.length - mostRaw);
    return true;
  }
  private drop(count: number): void {
    this.turns.splice(0, count);
    for (const column of this.columns) column.splice(0, count);
  }
}

export interface Since { mean: number | null; from: number; to: number }

/** The mean of a channel over the buckets that begin after a turn. */
export function meanSince(series: BucketSeries, channel: number, turn: number): Since {
  let [sum, known, from] = [0, 0, 0];
  const count = (value: number | null | undefined, weight: number, at: number): void => {
    if (from === 0) from = at;
    if (value === null || value === undefined) return;
    sum += value * weight;
    known += weight;
  };
  const column = series.columns[channel];
  series.first.forEach((at, b) => at > turn && count(column?.mean[b], column?.known[b] ?? 0, at));
  return { mean: known > 0 ? sum / known : null, from, to: series.turn };
}

/** The same from the beginning. */
export function meanOfAll(series: BucketSeries, channel: number): number | null {
  const column = series.columns[channel];
  const known = column?.known.reduce((a, b) => a + b, 0) ?? 0;
  return known > 0 ? column!.mean.reduce<number>((sum, mean, b) => sum + (mean ?? 0) * column!.known[b]!, 0) / known : null;
}
