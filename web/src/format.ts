// Numbers and times as text.

/** Thousands apart, at most `digits` significant ones; exponents where zeros would have to be counted. */
export function figure(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '\u2013';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e12) return minus(value.toExponential(Math.min(digits, 3) - 1).replace('e+', 'e'));
  const whole = Math.floor(Math.log10(size)) + 1;
  const decimals = Math.min(Math.max(digits - whole, 0), 8);
  const text = value.toFixed(decimals);
  return grouped(decimals > 0 ? text.replace(/\.?0+$/, '') : text);
}

/** Thousands apart in the decimal form of a number. */
function grouped(text: string): string {
  const [before, after] = text.split('.') as [string, string?];
  return minus(before.replace(/\B(?=(\d{3})+$)/g, ',')) + (after ? `.${after}` : '');
}

function minus(text: string): string {
  return text.replace(/-/g, '\u2212');
}

/** For axes: 1.5k, 20M. */
export function compact(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e12 || (size > 0 && size < 1e-3)) return minus(value.toExponential(0).replace('e+', 'e'));
  for (const [unit, letter] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (size >= unit) return minus(String(Number((value / unit).toPrecision(3)))) + letter;
  }
  return minus(String(Number(value.toPrecision(3))));
}

export function percent(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return '\u2013';
  // The same number of decimals everywhere, because these stand in columns and change during play.
  return `${grouped((share * 100).toFixed(digits))}\u202f%`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '\u2013';
  if (value === 0) return '0\u202fs';
  if (value < 1e-3) return `${figure(value * 1e6, 3)}\u202f\u00b5s`;
  if (value < 1) return `${figure(value * 1e3, 3)}\u202fms`;
  return `${figure(value, 3)}\u202fs`;
}

/** A number and its unit. */
export function withUnit(text: string, unit: string): string {
  return unit && text !== '\u2013' ? `${text}\u202f${unit}` : text;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${figure(n, 15)} ${n === 1 ? one : many}`;
}

/** Minutes as "5 min", "1 h", "1 h 30 min". */
export function duration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes - 60 * hours;
  const parts = [hours ? `${hours}\u202fh` : '', rest ? `${figure(rest, 3)}\u202fmin` : ''].filter(Boolean);
  return parts.join(' ') || '0\u202fmin';
}

/** A label's day and its time of day, if it has the two: "Mon 08:15", "2004-03-01T08:15". */
export function splitLabel(label: string): [string, string] | null {
  const found = /^(.*?)[ T]+(\d{1,2}:\d{2}(?::\d{2})?)\S*$/.exec(label);
  return found ? [found[1]!, found[2]!] : null;
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "Fri 5 Jan" for "2024-01-05"; anything else as it is. */
function dayText(day: string): string {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!found) return day;
  const [year, month, date] = found.slice(1).map(Number) as [number, number, number];
  const weekday = weekdays[new Date(Date.UTC(year, month - 1, date)).getUTCDay()];
  return `${weekday} ${date} ${months[month - 1] ?? month}`;
}

/** A label for reading: "Fri 5 Jan 07:45" for "2024-01-05T07:45:00". */
export function labelText(label: string): string {
  const parts = splitLabel(label);
  return parts ? `${dayText(parts[0])} ${shortTime(parts[1])}` : label;
}

const shortTime = (time: string): string => time.replace(/^(\d+:\d+):00$/, '$1');

/** The marks of an axis of periods: about `most` at most, on full hours or days if labels have times, on round
 *  numbers if they are numbers. */
export function ticks(labels: string[], minutes: number, from: number, to: number, most: number): number[] {
  const span = Math.max(1, to - from);
  const timed = minutes > 0 && splitLabel(labels[0] ?? '') !== null;
  const steps = timed
    ? [5, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080, 20160, 40320].map((step) => step / minutes)
    : [];
  for (let scale = 1; scale <= span; scale *= 10) {
    if (!timed || scale * minutes > 40320) steps.push(scale, 2 * scale, 5 * scale);
  }
  const step = steps.find((s) => s >= 1 && Number.isInteger(s) && span / s <= most) ?? Math.ceil(span / most);
  const midnight = labels.findIndex((label) => /^0?0:00(:00)?$/.test(splitLabel(label)?.[1] ?? ''));
  const first = /^\d+$/.test(labels[0] ?? '') ? Number(labels[0]) : 0;
  const offset = timed ? Math.max(0, midnight) % step : (step - (first % step)) % step;
  const found: number[] = [];
  for (let at = offset + Math.ceil((from - offset) / step) * step; at <= to; at += step) found.push(at);
  return found;
}

/** The text at a mark: the day if marks are days apart, else the time of day. */
export function tickText(label: string | undefined, step: number, minutes: number): string {
  if (label === undefined) return '';
  const parts = splitLabel(label);
  if (!parts) return label;
  const [day, time] = parts;
  return minutes > 0 && step * minutes >= 1440 ? dayText(day) : shortTime(time);
}
