// The bar at the foot of the page: play, the slider, what stands where in time, and the period's figures.
import type { Clock } from './clock';
import { palette } from './colour';
import { isActive, type ReportData } from './data';
import { h, oncePerFrame } from './dom';
import { compact, figure, labelText, percent } from './format';
import { isDark, onScheme } from './scheme';
import { stretchMaxima } from './thin';

const stripHeight = 22;

/** Heaviest load over time as a strip of colour; alarms as bars above it, events as marks below. */
function drawStrip(canvas: HTMLCanvasElement, data: ReportData): void {
  const width = canvas.clientWidth;
  if (width === 0) return;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(stripHeight * scale);
  const pen = canvas.getContext('2d')!;
  pen.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const periods = data.periods.labels.length;
  const loads = stretchMaxima(data.lead.utilisationMax, width);
  const colours = palette(isDark(), 64);
  loads.forEach((load, x) => {
    if (load === null) return;
    pen.fillStyle = colours[Math.min(63, Math.floor(load * 63))]!;
    pen.fillRect(x, 7, 1, 9);
  });
  const place = (period: number): number => (period / Math.max(1, periods - 1)) * (width - 2) + 1;
  pen.fillStyle = style.getPropertyValue('--warn');
  for (const alarm of data.alarms) {
    const from = place(alarm.period);
    pen.fillRect(from - 1, 2, Math.max(2, place(alarm.cleared ?? periods - 1) - from), 3);
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
}

export function timebar(data: ReportData, clock: Clock): HTMLElement {
  const { labels } = data.periods;
  const slider = h('input', {
    type: 'range', id: 'period', min: 0, max: Math.max(0, labels.length - 1), step: 1, value: 0,
    'aria-label': 'Period',
    input: () => clock.go(Number(slider.value)),
  });
  const play = h('button.play', { type: 'button', 'aria-label': 'Play', click: () => (clock.playing ? clock.pause() : clock.play()) });
  const step = (by: number, name: string, sign: string): HTMLElement =>
    h('button.step', { type: 'button', 'aria-label': name, click: () => clock.go(clock.period + by) }, sign);
  const strip = h('canvas.strip', { 'aria-hidden': 'true', height: stripHeight });
  const label = h('output.now-label', { id: 'now', for: 'period' });
  const place = h('span.now-place');

  const readings: { name: string; id: string; read: (period: number) => string }[] = [
    { name: 'demand', id: 'demand', read: (t) => figure(data.lead.demand[t]) },
    { name: 'cost', id: 'cost', read: (t) => figure(data.lead.cost[t]) },
    { name: 'max load', id: 'load', read: (t) => percent(data.lead.utilisationMax[t]) },
    { name: 'churn', id: 'churn', read: (t) => figure(data.lead.churn[t], 3) },
    { name: 'alarms', id: 'alarms', read: (t) => String(data.alarms.filter((a) => isActive(a, t)).length) },
  ];
  const outputs = readings.map(({ id }) => h('output', { id: `now-${id}`, for: 'period' }));
  const list = h('dl.readings', {}, ...readings.map(({ name, id }, i) => {
    return h('div', { class: `reading-${id}` }, h('dt', {}, name), h('dd', {}, outputs[i]!));
  }));

  const bar = h('section.timebar', { 'aria-label': 'Time' },
    h('div.transport', {}, step(-1, 'One period back', '\u2039'), play, step(1, 'One period on', '\u203a')),
    h('div.now', {}, label, place),
    h('div.track', {}, strip, slider),
    list);

  clock.onPlay((playing) => {
    play.classList.toggle('playing', playing);
    play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
  });
  clock.listen((period) => {
    slider.value = String(period);
    slider.setAttribute('aria-valuetext', labels[period] ?? '');
    label.textContent = labelText(labels[period] ?? '');
    label.title = labels[period] ?? '';
    place.textContent = `${period + 1} / ${compactCount(labels.length)}`;
    readings.forEach(({ read }, i) => (outputs[i]!.textContent = read(period)));
  });
  const draw = (): void => drawStrip(strip, data);
  new ResizeObserver(oncePerFrame(draw)).observe(strip);
  onScheme(draw);
  return bar;
}

function compactCount(n: number): string {
  return n < 100_000 ? figure(n, 6) : compact(n);
}
