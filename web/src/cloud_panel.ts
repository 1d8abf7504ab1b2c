// The points of a generator over the data that they should resemble, as a film.
import type { Clock } from './clock';
import { lastNotAbove } from './data';
import { h, oncePerFrame, panel, prefersLessMotion } from './dom';
import { figure, percent } from './format';
import type { Cloud, Columns, PlayData } from './play_data';
import { cloudFrame, countInside, freshPen, Placement, spread, type Frame } from './plot_area';
import { onScheme } from './scheme';
import { nearest } from './timeline';

const stills = 6;
const framePause = 160;
const calmPause = 700;

function dots(pen: CanvasRenderingContext2D, to: Placement, { x, y }: Columns, radius: number): void {
  pen.beginPath();
  x.forEach((value, i) => {
    const other = y[i];
    if (value === null || other === null || other === undefined) return;
    const [px, py] = [to.x(value), to.y(other)];
    pen.moveTo(px + radius, py);
    pen.arc(px, py, radius, 0, 2 * Math.PI);
  });
  pen.fill();
}

function drawCloud(canvas: HTMLCanvasElement, data: PlayData, frame: Frame, cloud: Cloud): void {
  const fresh = freshPen(canvas);
  if (!fresh) return;
  const { pen, width, height, style } = fresh;
  const small = width < 200;
  const to = new Placement(frame, { x: 2, y: 2, width: width - 4, height: height - 4 }, true);
  pen.fillStyle = style.getPropertyValue('--soft');
  pen.globalAlpha = small ? 0.3 : 0.35;
  dots(pen, to, data.real, small ? 0.8 : 1.6);
  pen.fillStyle = style.getPropertyValue('--hue-0');
  pen.globalAlpha = small ? 0.55 : 0.6;
  dots(pen, to, cloud, small ? 1 : 2.2);
  pen.globalAlpha = 1;
  if (small) return;
  // Crosses hide neither cloud.
  pen.strokeStyle = style.getPropertyValue('--accent');
  pen.lineWidth = 1.5;
  data.centres.x.forEach((value, i) => {
    const other = data.centres.y[i];
    if (value === null || other === null || other === undefined) return;
    const [x, y] = [to.x(value), to.y(other)];
    pen.beginPath();
    pen.moveTo(x - 6, y);
    pen.lineTo(x + 6, y);
    pen.moveTo(x, y - 6);
    pen.lineTo(x, y + 6);
    pen.stroke();
  });
}

export function cloudPanel(data: PlayData, clock: Clock): HTMLElement {
  const { clouds, rounds } = data;
  const seen = clouds.map((cloud) => cloud.round);
  const frame = cloudFrame(data);
  const modes = data.centres.x.length;
  let shown = 0;
  let leading = false; // the film moves the clock, not the clock the film
  let timer = 0;

  const canvas = h('canvas.plot', { role: 'img' });
  const draw = (): void => drawCloud(canvas, data, frame, clouds[shown]!);
  const redraw = oncePerFrame(draw);
  const readings = ['round', 'modes', 'quality', 'divergence'].map((id) => h('output', { id: `cloud-${id}` }));
  const outside = h('p.seen', {});
  const slider = h('input', {
    type: 'range', id: 'frame', min: 0, max: clouds.length - 1, step: 1, value: 0, 'aria-label': 'Frame of the film',
    input: () => seek(Number(slider.value)),
  });
  const play = h('button.play', { type: 'button', 'aria-label': 'Play the film', click: () => (timer ? stop() : start()) });

  const thumbs = spread(clouds.length, stills).map((place) => {
    const still = h('canvas', { 'aria-hidden': 'true' });
    const button = h('button', { type: 'button', 'aria-label': `Round ${figure(seen[place], 15)}`, click: () => seek(place) },
      still, h('span', { 'aria-hidden': 'true' }, figure(seen[place], 15)));
    const paint = (): void => drawCloud(still, data, frame, clouds[place]!);
    new ResizeObserver(oncePerFrame(paint)).observe(still);
    onScheme(paint);
    return { place, button };
  });

  function show(place: number): void {
    shown = place;
    const cloud = clouds[place]!;
    const texts = [figure(cloud.round, 15), modes ? `${figure(cloud.modes)} of ${modes}` : figure(cloud.modes), percent(cloud.quality), figure(cloud.divergence, 3)];
    readings.forEach((output, i) => (output.textContent = texts[i]!));
    slider.value = String(place);
    slider.setAttribute('aria-valuetext', `round ${texts[0]}`);
    canvas.setAttribute('aria-label', `What the generator makes in round ${texts[0]}, over the data: ${texts[1]} modes, ${texts[2]} of high quality.`);
    const beyond = countInside(cloud, frame).outside;
    outside.textContent = beyond > 0 ? `${beyond} of ${cloud.x.length} lie outside` : '';
    for (const { place: own, button } of thumbs) button.setAttribute('aria-pressed', String(own === place));
    redraw();
  }
  /** Shows a frame and takes the page with it. */
  function seek(place: number): void {
    show(place);
    leading = true;
    clock.go(nearest(rounds, seen[place]!));
    leading = false;
  }
  function stop(): void {
    window.clearInterval(timer);
    timer = 0;
    play.classList.remove('playing');
    play.setAttribute('aria-label', 'Play the film');
  }
  function start(): void {
    clock.pause();
    if (shown >= clouds.length - 1) seek(0);
    play.classList.add('playing');
    play.setAttribute('aria-label', 'Stop the film');
    timer = window.setInterval(() => {
      if (shown < clouds.length - 1) seek(shown + 1);
      if (shown >= clouds.length - 1) stop();
    }, prefersLessMotion.matches ? calmPause : framePause);
  }

  clock.onPlay((playing) => playing && stop());
  clock.listen((period) => {
    if (leading) return;
    const last = period === rounds.length - 1;
    show(last ? clouds.length - 1 : Math.max(0, lastNotAbove(seen, rounds[period] ?? 0)));
  });
  new ResizeObserver(redraw).observe(canvas);
  onScheme(draw);
  const names = ['round', 'modes', 'high quality', 'reverse KL'];
  const element = panel('cloud', 'Generated', '',
    h('div.plot-frame', {}, canvas, outside),
    h('div.legend', {},
      h('span.key', {}, h('i.made', { 'aria-hidden': 'true' }), 'generated'),
      data.real.x.length ? h('span.key', {}, h('i.given', { 'aria-hidden': 'true' }), 'data') : null,
      modes ? h('span.key', {}, h('i.centre', { 'aria-hidden': 'true' }, '+'), 'mode') : null),
    h('div.film', {}, h('div.transport', {}, play), slider,
      h('dl.readings', {}, ...readings.map((output, i) => h('div', {}, h('dt', {}, names[i]!), h('dd', {}, output))))),
    h('div.stills', { role: 'group', 'aria-label': 'Frames' }, ...thumbs.map(({ button }) => button)));
  element.classList.add('picture');
  return element;
}
