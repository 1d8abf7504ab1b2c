// Long series in few places, with nothing lost that matters.
import type { Series } from './data';

/** The largest value of each of `places` stretches of about the same length; null where none is known. */
export function stretchMaxima(series: Series, places: number): Series {
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

/** Sums so far. What is not known adds nothing. */
export function runningSums(series: Series): number[] {
  let sum = 0;
  return series.map((value) => (sum += value ?? 0));
}

/** Only what a logarithmic axis can show. */
export function positive(series: Series): Series {
  return series.map((value) => (value !== null && value > 0 ? value : null));
}
