// Runs side by side over one axis: each has its own turns, and the axis has those of all.
import { lastNotAbove } from './data';
import type { RunModel } from './run_model';
import type { BucketSeries, Values } from './run_series';

export type View = 'all' | 'fork' | 'raw';
export type Figure = 'mean' | 'least' | 'most' | 'latest';

export const rawTurns = 500;

/** The run itself comes first; of a fork, only turns after its begin count. */
export interface Traced { name: string; model: RunModel; begun: number }

interface Track { turns: number[]; column: (channel: number, figure: Figure) => (number | null)[] }

function bucketTrack(series: BucketSeries, after: number): Track {
  const from = lastNotAbove(series.last, after) + 1;
  return {
    turns: series.last.slice(from),
    column: (channel, figure) => series.columns[channel]?.[figure].slice(from) ?? [],
  };
}

function rawTrack(run: Traced, after: number): Track {
  const { series, tail } = run.model;
  const everyTurn = series.buckets > 0 && series.buckets === series.turn - series.first[0]! + 1;
  if (everyTurn || tail.turns.length === 0) return bucketTrack(series, Math.max(after, series.turn - rawTurns));
  const from = Math.max(lastNotAbove(tail.turns, after) + 1, tail.turns.length - rawTurns);
  return { turns: tail.turns.slice(from), column: (channel) => tail.columns[channel]?.slice(from) ?? [] };
}

/** Ascending numbers of all lists, each once. */
export function merged(lists: number[][]): number[] {
  if (lists.length === 1) return lists[0]!;
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}

export class Grid {
  readonly at: number[];
  private readonly tracks: Track[];
  private readonly own: Int32Array[]; // the place in a run's own track; -1: it has no point there

  constructor(readonly runs: Traced[], readonly view: View) {
    const forked = Math.min(...runs.slice(1).map((run) => run.begun));
    this.tracks = runs.map((run, i) => {
      const after = i > 0 ? run.begun : view === 'fork' && runs.length > 1 ? forked : 0;
      if (view === 'raw') return rawTrack(run, after);
      // Else a fork would be compared with a few points of a long run.
      return bucketTrack((after > 0 ? run.model.since(after) : null) ?? run.model.series, after);
    });
    this.at = merged(this.tracks.map((track) => track.turns));
    this.own = this.tracks.map(({ turns }) => {
      let next = 0;
      return Int32Array.from(this.at, (turn) => (turns[next] === turn ? next++ : -1));
    });
  }

  /** A run's values where it has points. */
  values(run: number, channel: number, figure: Figure): Values {
    const column = this.tracks[run]!.column(channel, figure);
    return Array.from(this.own[run]!, (place) => (place < 0 ? undefined : column[place] ?? null));
  }
  /** Added to sums of a run so that all lines begin where their turns do: a fork counts from the sum of the run, or
   *  from 0. */
  shift(run: number, channel: number): number {
    const { model } = this.runs[0]!;
    const forked = Math.min(...this.runs.slice(1).map(({ begun }) => begun));
    const base = this.view === 'fork' && this.runs.length > 1 ? model.valueAt(channel, forked) ?? 0 : 0;
    if (run === 0) return -base;
    const before = model.valueAt(channel, this.runs[run]!.begun) ?? 0;
    const first = this.tracks[run]!.column(channel, 'latest').find((value) => value !== null) ?? 0;
    return (first < before ? before : 0) - base;
  }
  /** Where it has none, the newest value before. */
  held(values: Values): Values {
    let last: number | null | undefined;
    return values.map((value) => (last = value === undefined ? last : value));
  }
}
