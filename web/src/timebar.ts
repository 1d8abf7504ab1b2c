// The bar at the foot of the page: play, the slider, marks over time, and the present figures.
import type { Clock } from './clock';
import { h, oncePerFrame } from './dom';
import { labelText } from './format';
import { onScheme } from './scheme';
import type { Timeline } from './timeline';

const stripHeight = 22;

export interface Reading { name: string; id: string; read: (place: number) => string }

/** A strip along the slider, `width` by 22 points; `at` maps a place of the timeline to it. */
export type DrawStrip = (pen: CanvasRenderingContext2D, width: number, at: (place: number) => number, style: CSSStyleDeclaration) => void;

export interface TimebarSpec {
  time: Timeline;
  clock: Clock;
  place: (place: number) => string; // beside the label of now: how far this is
  readings: Reading[];
  strip: DrawStrip;
}

function paintStrip(canvas: HTMLCanvasElement, places: number, strip: DrawStrip): void {
  const width = canvas.clientWidth;
  if (width === 0) return;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(stripHeight * scale);
  const pen = canvas.getContext('2d')!;
  pen.scale(scale, scale);
  strip(pen, width, (place) => (place / Math.max(1, places - 1)) * (width - 2) + 1, getComputedStyle(canvas));
}

export function timebar({ time, clock, place: placeText, readings, strip: drawStrip }: TimebarSpec): HTMLElement {
  const { labels, noun } = time;
  const slider = h('input', {
    type: 'range', id: 'period', min: 0, max: Math.max(0, labels.length - 1), step: 1, value: 0,
    'aria-label': noun === 'period' ? 'Period' : 'Round',
    input: () => clock.go(Number(slider.value)),
  });
  const play = h('button.play', { type: 'button', 'aria-label': 'Play', click: () => (clock.playing ? clock.pause() : clock.play()) });
  const step = (by: number, name: string, sign: string): HTMLElement =>
    h('button.step', { type: 'button', 'aria-label': name, click: () => clock.go(clock.period + by) }, sign);
  const strip = h('canvas.strip', { 'aria-hidden': 'true', height: stripHeight });
  const label = h('output.now-label', { id: 'now', for: 'period' });
  const place = h('span.now-place');
  const outputs = readings.map(({ id }) => h('output', { id: `now-${id}`, for: 'period' }));
  const list = h('dl.readings', {}, ...readings.map(({ name, id }, i) => {
    return h('div', { class: `reading-${id}` }, h('dt', {}, name), h('dd', {}, outputs[i]!));
  }));

  const bar = h('section.timebar', { 'aria-label': 'Time' },
    h('div.transport', {}, step(-1, `One ${noun} back`, '\u2039'), play, step(1, `One ${noun} on`, '\u203a')),
    h('div.now', {}, label, place),
    h('div.track', {}, strip, slider),
    list);

  clock.onPlay((playing) => {
    play.classList.toggle('playing', playing);
    play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
  });
  clock.listen((now) => {
    slider.value = String(now);
    slider.setAttribute('aria-valuetext', labels[now] ?? '');
    label.textContent = labelText(labels[now] ?? '');
    label.title = labels[now] ?? '';
    place.textContent = placeText(now);
    readings.forEach(({ read }, i) => (outputs[i]!.textContent = read(now)));
  });
  const draw = (): void => paintStrip(strip, labels.length, drawStrip);
  new ResizeObserver(oncePerFrame(draw)).observe(strip);
  onScheme(draw);
  return bar;
}
