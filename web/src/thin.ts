// Long series in few places that keep their extremes.
import type { Series } from './data';
import type { Values } from './run_series';

/** The largest value of each of `places` intervals of about the same length; null where none is known. */
export function intervalMaxima(series: Series, places: number): Series {
  return Array.from({ length: places }, (_, place) => {
    const from = Math.floor((place * series.length) / places);
    const to = Math.max(from + 1, Math.floor(((place + 1) * series.length) / places));
    let largest: number | null = null;
    for (const value of series.slice(from, to)) {
      if (value !== null && (largest === null || value > largest)) largest = value;
    }
    return largest;
  });
}

/** Sums so far. Unknown values add nothing. */
export function runningSums(series: Series): number[] {
  let sum = 0;
  return series.map((value) => (sum += value ?? 0));
}

/** Only what a logarithmic axis can show. */
export function positive(series: Series): Series {
  return series.map((value) => (value !== null && value > 0 ? value : null));
}

/** Decades around all values, at most eight below the largest, because rounded zeros would flatten the rest. Zeros
 *  get one more, at the foot. Undefined without values. */
export function sharedSpan(all: Values[]): [number, number] | undefined {
  let [low, high, zeros] = [Infinity, 0, false];
  for (const series of all) {
    for (const value of series) {
      if (value === null || value === undefined) continue;
      if (value > 0) [low, high] = [Math.min(low, value), Math.max(high, value)];
      else zeros = true;
    }
  }
  if (high === 0) return zeros ? [0.1, 1] : undefined;
  const to = Math.ceil(Math.log10(high) - 1e-9);
  const from = Math.max(Math.floor(Math.log10(low) + 1e-9), to - 8);
  return [10 ** (zeros ? from - 1 : from), 10 ** Math.max(to, from + 1)];
}

/** Zeros, and what is smaller than it, at the foot of a logarithmic axis. */
export function floored<Value extends number | null | undefined>(series: Value[], foot: number): Value[] {
  return series.map((value) => (typeof value === 'number' ? (Math.max(value, foot) as Value) : value));
}

/** At each place, the mean of the values within the last `width` of the axis `at`, which ascends. */
export function slidingMean(values: Values, at: number[], width: number): Values {
  let from = 0;
  return values.map((value, i) => {
    while (at[from]! <= at[i]! - width) ++from;
    if (value === undefined) return undefined;
    // Summed anew: a spike that has left leaves no rounding error.
    const known = values.slice(from, i + 1).filter((each): each is number => typeof each === 'number');
    return known.length > 0 ? known.reduce((sum, each) => sum + each, 0) / known.length : null;
  });
}
