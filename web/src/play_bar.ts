// The strips of a play in the bar of time.
import type { Clock } from './clock';
import { palette } from './colour';
import { figure } from './format';
import { held, type PlayData } from './play_data';
import { isDark } from './scheme';
import { intervalMaxima } from './thin';
import { timebar, type DrawStrip } from './timebar';
import { nearest, type Timeline } from './timeline';

/** The gap of each play alone as a strip of colour, on a logarithmic scale; frames of clouds as marks below. */
const gapStrip = (data: PlayData): DrawStrip => (pen, width, place, style) => {
  const worst = intervalMaxima(data.instantGap, width);
  const known = data.instantGap.filter((value): value is number => value !== null && value > 0);
  const [low, high] = known.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, 0]);
  const least = Math.max(low, high * 1e-4);
  const colours = palette(isDark(), 64);
  worst.forEach((value, x) => {
    if (value === null) return;
    const share = high > least ? Math.log(Math.max(value, least) / least) / Math.log(high / least) : 0;
    pen.fillStyle = colours[Math.round(63 * share)]!;
    pen.fillRect(x, 7, 1, 9);
  });
  pen.fillStyle = style.getPropertyValue('--soft');
  for (const cloud of data.clouds) pen.fillRect(place(nearest(data.rounds, cloud.round)) - 0.5, 18, 1, 4);
};

export function playBar(data: PlayData, time: Timeline, clock: Clock): HTMLElement {
  const last = time.labels[time.labels.length - 1] ?? '';
  const gains = held(data.rounds, data.gains.rounds, data.gains.values);
  const known = (series: (number | null)[]): boolean => series.some((value) => value !== null);
  const readings = [
    { name: 'smoothed gap', id: 'gap', values: data.gap },
    { name: 'its bound', id: 'bound', values: data.gapBound },
    { name: 'this play alone', id: 'instant', values: data.instantGap },
    { name: 'exploitability', id: 'gains', values: gains },
  ].filter(({ values }) => known(values));
  return timebar({
    time,
    clock,
    place: () => `round, of ${last}`,
    strip: gapStrip(data),
    readings: readings.map(({ name, id, values }) => ({ name, id, read: (t) => figure(values[t], 3) })),
  });
}
