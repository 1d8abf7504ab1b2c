// The strips of a routing run in the bar of time.
import type { Clock } from './clock';
import { palette } from './colour';
import { isActive, type ReportData } from './data';
import { compact, figure, percent } from './format';
import { isDark } from './scheme';
import { intervalMaxima } from './thin';
import { timebar, type DrawStrip } from './timebar';
import type { Timeline } from './timeline';

/** Heaviest load over time as a strip of colour; alarms as bars above it, events as marks below. */
const loadStrip = (data: ReportData): DrawStrip => (pen, width, place, style) => {
  const loads = intervalMaxima(data.primary.utilisation_max, width);
  const colours = palette(isDark(), 64);
  loads.forEach((load, x) => {
    if (load === null) return;
    pen.fillStyle = colours[Math.min(63, Math.floor(load * 63))]!;
    pen.fillRect(x, 7, 1, 9);
  });
  pen.fillStyle = style.getPropertyValue('--warn');
  for (const alarm of data.alarms) {
    const from = place(alarm.period);
    pen.fillRect(from - 1, 2, Math.max(2, place(alarm.cleared ?? data.periods.labels.length - 1) - from), 3);
  }
  pen.fillStyle = style.getPropertyValue('--ink');
  for (const event of data.events) {
    const x = place(event.period);
    pen.beginPath();
    pen.moveTo(x, 17);
    pen.lineTo(x + 3, 22);
    pen.lineTo(x - 3, 22);
    pen.fill();
  }
};

export function routeBar(data: ReportData, time: Timeline, clock: Clock): HTMLElement {
  const { primary } = data;
  return timebar({
    time,
    clock,
    place: (t) => `${t + 1} / ${compactCount(time.labels.length)}`,
    strip: loadStrip(data),
    readings: [
      { name: 'demand', id: 'demand', read: (t) => figure(primary.demand[t]) },
      { name: 'cost', id: 'cost', read: (t) => figure(primary.cost[t]) },
      { name: 'max load', id: 'load', read: (t) => percent(primary.utilisation_max[t]) },
      { name: 'churn', id: 'churn', read: (t) => figure(primary.churn[t], 3) },
      { name: 'alarms', id: 'alarms', read: (t) => String(data.alarms.filter((a) => isActive(a, t)).length) },
    ],
  });
}

function compactCount(n: number): string {
  return n < 100_000 ? figure(n, 6) : compact(n);
}
