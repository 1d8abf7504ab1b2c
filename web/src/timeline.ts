// The axis of time: periods of a run by their place, rounds of a play by their number.
import { lastNotAbove } from './data';
import { compact, figure, tickText, ticks } from './format';

export interface Timeline {
  noun: 'period' | 'round' | 'turn';
  labels: string[];
  at: number[]; // where each stands on an axis; ascending
  room: number; // points that a mark of an axis takes
  marks: (from: number, to: number, most: number) => number[];
  markText: (mark: number, step: number) => string;
}

export function periodTimeline({ labels, minutes }: { labels: string[]; minutes: number }): Timeline {
  return {
    noun: 'period',
    labels,
    at: labels.map((_, i) => i),
    room: 90,
    marks: (from, to, most) => ticks(labels, minutes, from, to, most),
    markText: (mark, step) => tickText(labels[mark], step, minutes),
  };
}

export function roundTimeline(rounds: number[], noun: 'round' | 'turn' = 'round'): Timeline {
  return {
    noun,
    labels: rounds.map((round) => figure(round, 15)),
    at: rounds,
    room: 60,
    marks: (from, to, most) => roundMarks(from, to, most).filter(Number.isInteger),
    markText: (mark) => markNumber(mark),
  };
}

/** 200k and 1.5M if that is exact, else every digit. */
function markNumber(mark: number): string {
  const exact = mark >= 1e4 && Number((mark / 10 ** Math.floor(Math.log10(mark))).toPrecision(3)) * 10 ** Math.floor(Math.log10(mark));
  return exact && Math.abs(exact - mark) < 0.5 ? compact(mark) : figure(mark, 15);
}

/** Multiples of 1, 2 or 5 times a power of ten, about `most` of them at most. */
export function roundMarks(from: number, to: number, most: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [from];
  const unit = 10 ** Math.floor(Math.log10(span / most));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((wide) => span / wide <= most) ?? 10 * unit;
  const found: number[] = [];
  // Counted, not added up: sums of tenths drift.
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; ++k) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** The place whose value in ascending `at` is nearest. */
export function nearest(at: number[], value: number): number {
  const below = Math.max(0, lastNotAbove(at, value));
  const above = Math.min(below + 1, at.length - 1);
  return above > below && at[above]! - value < value - at[below]! ? above : below;
}
