// The map's part of the page: legend, tooltip, pointers and keys, and the busiest links as text.
import type { Clock } from './clock';
import { palette } from './colour';
import { Capacities, Frames, largestPermille, type ReportData } from './data';
import { h, oncePerFrame, panel } from './dom';
import { figure, labelText, percent, withUnit } from './format';
import { NetworkMap, type LinkCapacities, type Loads } from './map';
import { isDark, onScheme } from './scheme';

const busiest = 6;

export interface MapSource {
  network: ReportData['network'];
  demandUnit: string;
  loads: Loads;
  capacities: LinkCapacities;
  label: (period: number) => string;
  note?: string;
  pick?: (link: number) => void; // a link was clicked, or picked in the list; -1: none
}

export function reportMap(data: ReportData): MapSource {
  return {
    network: data.network,
    demandUnit: data.demandUnit,
    loads: new Frames(data),
    capacities: new Capacities(data),
    label: (period) => labelText(data.periods.labels[period]!),
  };
}

/** The figures of a link in a period, as text. */
export function describeLink(
  data: Pick<MapSource, 'network' | 'demandUnit'>, frames: Loads, capacities: LinkCapacities, link: number, period: number,
): { name: string; ends: string; load: string; flow: string; capacity: string } {
  const { nodes, links } = data.network;
  const permille = frames.at(period)?.permille[link] ?? null;
  const capacity = capacities.at(link, period);
  const usual = capacities.usual(link);
  const cut = permille === largestPermille;
  const load = permille === null ? '\u2013' : (cut ? '\u2265\u202f' : '') + percent(permille / 1000);
  const flow = permille === null ? '\u2013' : withUnit((cut ? '\u2265\u202f' : '\u2248\u202f') + figure((permille / 1000) * capacity, 3), data.demandUnit);
  return {
    name: links.name[link]!,
    ends: `${nodes.name[links.from[link]!]} \u2192 ${nodes.name[links.to[link]!]}`,
    load: capacity === 0 ? 'closed' : load,
    flow: capacity === 0 ? '0' : flow,
    capacity: capacity === usual
      ? withUnit(figure(capacity), data.demandUnit)
      : `${withUnit(figure(capacity), data.demandUnit)}, usually ${figure(usual)}`,
  };
}

function legend(): HTMLElement {
  const bar = h('span.scale', { 'aria-hidden': 'true' });
  const paint = (): void => {
    bar.style.background = `linear-gradient(to right, ${palette(isDark(), 12).join(',')})`;
  };
  paint();
  onScheme(paint);
  return h('div.legend', { 'aria-label': 'Colours of load' },
    h('span', {}, 'load 0'), bar, h('span', {}, '100\u202f%'),
    h('span.key', {}, h('i.over', { 'aria-hidden': 'true' }), 'above'),
    h('span.key', {}, h('i.closed', { 'aria-hidden': 'true' }, '\u00d7'), 'closed'),
    h('span.key', {}, h('i.ring', { 'aria-hidden': 'true' }), 'capacity changed'),
    h('span.key', {}, 'wider: more capacity'));
}

export function mapPanel(data: MapSource, clock: Clock): HTMLElement {
  const { loads: frames, capacities, pick } = data;
  const canvas = h('canvas.map', {
    tabindex: 0, role: 'img',
    'aria-label': 'Map of the network, links coloured by load. Arrow keys move it, plus and minus zoom, 0 shows all. The busiest links are listed below.',
  });
  const map = new NetworkMap(canvas, data.network, frames, capacities);
  const tip = h('div.tip', { role: 'status', hidden: true });
  const seen = h('p.seen', { 'aria-hidden': 'true' });
  const draw = (): void => {
    map.draw(clock.period);
    showTip();
  };
  const redraw = oncePerFrame(draw);

  let tipLink = -1;
  function showTip(): void {
    tip.hidden = tipLink < 0;
    if (tipLink < 0) return;
    const shown = describeLink(data, frames, capacities, tipLink, clock.period);
    const row = (name: string, value: string): HTMLElement => h('div', {}, h('dt', {}, name), h('dd', {}, value));
    tip.replaceChildren(h('strong', {}, shown.name),
      shown.ends.replace(' \u2192 ', '-') === shown.name ? '' : h('span.ends', {}, shown.ends),
      h('dl', {}, row('load', shown.load), row('flow', shown.flow), row('capacity', shown.capacity)));
    const [x, y] = map.middleOf(tipLink);
    const left = Math.min(Math.max(x + 12, 4), canvas.clientWidth - tip.offsetWidth - 4);
    const top = y + 14 + tip.offsetHeight > canvas.clientHeight ? y - tip.offsetHeight - 14 : y + 14;
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(Math.max(4, top))}px)`;
  }
  function look(link: number): void {
    if (link === tipLink) return;
    tipLink = map.highlighted = link;
    redraw();
  }

  function choose(link: number): void {
    look(link);
    pick?.(link);
  }

  // One finger scrolls the page while the whole network is in view, else it moves the map.
  const touch = (): void => {
    canvas.style.touchAction = map.view.zoom > 1 ? 'none' : 'pan-y';
    reset.disabled = map.view.zoom === 1;
  };
  const zoom = (factor: number, x?: number, y?: number): void => {
    map.zoomAt(factor, x, y);
    touch();
    redraw();
  };
  const showAll = (): void => zoom(0);
  const pointers = new Map<number, PointerEvent>();
  let moved = 0;
  canvas.addEventListener('pointerdown', (event) => {
    pointers.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
    moved = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === 'mouse') look(map.linkAt(event.offsetX, event.offsetY, 8));
      return;
    }
    const [dx, dy] = [event.offsetX - before.offsetX, event.offsetY - before.offsetY];
    moved += Math.hypot(dx, dy);
    if (pointers.size === 2) {
      const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId)!;
      const apart = (p: PointerEvent): number => Math.max(20, Math.hypot(p.offsetX - other.offsetX, p.offsetY - other.offsetY));
      zoom(apart(event) / apart(before), (event.offsetX + other.offsetX) / 2, (event.offsetY + other.offsetY) / 2);
    }
    if (map.view.zoom > 1) map.pan(dx / pointers.size, dy / pointers.size);
    pointers.set(event.pointerId, event);
    redraw();
  });
  const release = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
    if (event.type === 'pointerup' && moved < 6) {
      const link = map.linkAt(event.offsetX, event.offsetY, event.pointerType === 'mouse' ? 8 : 22);
      look(link);
      if (link >= 0) pick?.(link);
    }
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', (event) => event.pointerType === 'mouse' && look(-1));
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 200), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener('dblclick', (event) => zoom(2, event.offsetX, event.offsetY));
  canvas.addEventListener('keydown', (event) => {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40],
    };
    const move = moves[event.key];
    if (event.key === '+' || event.key === '=') zoom(1.5);
    else if (event.key === '-') zoom(1 / 1.5);
    else if (event.key === '0') showAll();
    else if (event.key === 'Escape') look(-1);
    else if (move && map.view.zoom > 1) map.pan(...move), redraw();
    else return;
    event.preventDefault();
  });

  const button = (name: string, sign: string, click: () => void): HTMLButtonElement =>
    h('button', { type: 'button', 'aria-label': name, title: name, click }, sign);
  const reset = button('Show all', '\u2922', showAll);
  const tools = h('div.map-tools', {},
    button('Zoom in', '+', () => zoom(1.5)), button('Zoom out', '\u2212', () => zoom(1 / 1.5)), reset);

  const rows = h('ol.busiest', { 'aria-label': 'Busiest links of the period' });
  function listBusiest(period: number): void {
    const frame = frames.at(period);
    if (!frame) return;
    const order = [...frame.permille.keys()].sort((a, b) => frame.permille[b]! - frame.permille[a]! || a - b);
    rows.replaceChildren(...order.slice(0, busiest).map((link) => {
      const shown = describeLink(data, frames, capacities, link, period);
      const load = frame.permille[link]! / Math.max(1000, frame.permille[order[0]!]!);
      return h('li', {}, h('button', { type: 'button', 'aria-pressed': String(tipLink === link), click: () => choose(tipLink === link ? -1 : link) },
        h('span.name', {}, shown.name),
        h('span.meter', { 'aria-hidden': 'true', style: `--share:${load}` }),
        h('span.load', {}, shown.load)));
    }));
  }

  clock.listen((period) => {
    const frame = frames.at(period);
    seen.textContent = frame && frame.period !== period ? `loads of ${data.label(frame.period)}` : '';
    listBusiest(period);
    redraw();
  });
  touch();
  new ResizeObserver(redraw).observe(canvas);
  onScheme(draw);
  return panel('map', 'Network', data.note ?? '', h('div.map-frame', {}, canvas, tools, seen, tip), legend(), rows);
}
