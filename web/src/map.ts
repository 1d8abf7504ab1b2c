// Draws the network with its loads. Pointers and keys are in map_panel.ts.
import { palette } from './colour';
import type { ReportData } from './data';
import { distance2, extent, sides, widths } from './geometry';
import { isDark } from './scheme';

const shades = 48;
const labelledNodes = 30;

/** Loads of all links in a period, or in the newest known one before it. */
export interface Loads { at(period: number): { period: number; permille: Uint16Array } | null }
export interface LinkCapacities {
  at(link: number, period: number): number;
  usual(link: number): number;
  changed(period: number): number[];
}

export interface View { zoom: number; x: number; y: number }

export class NetworkMap {
  readonly view: View = { zoom: 1, x: 0, y: 0 };
  highlighted = -1;
  private readonly box;
  private readonly side;
  private readonly thickness;
  private readonly ends: Float32Array; // four numbers a link, on the screen
  private width = 0;
  private height = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly network: ReportData['network'],
    private readonly frames: Loads,
    private readonly capacities: LinkCapacities,
  ) {
    this.box = extent(network);
    this.side = sides(network);
    this.thickness = widths(network.links.capacity);
    this.ends = new Float32Array(4 * network.links.name.length);
  }

  /** Pixels a unit of the network's own coordinates takes. */
  private get scale(): number {
    const margin = 28;
    const across = Math.max(this.box.right - this.box.left, 1e-9);
    const up = Math.max(this.box.high - this.box.low, 1e-9);
    const fit = Math.min((this.width - 2 * margin) / across, (this.height - 2 * margin) / up);
    return Math.max(fit, 1e-12) * this.view.zoom;
  }
  private screenX(x: number): number {
    return (x - (this.box.left + this.box.right) / 2) * this.scale + this.width / 2 + this.view.x;
  }
  private screenY(y: number): number {
    return ((this.box.low + this.box.high) / 2 - y) * this.scale + this.height / 2 + this.view.y;
  }
  /** Lines get wider with the zoom, and thinner if there are thousands. */
  private get unit(): number {
    const crowd = Math.min(1, Math.max(0.35, 30 / Math.sqrt(this.ends.length / 4)));
    return 2.2 * crowd * Math.min(2.2, Math.sqrt(this.view.zoom));
  }

  private place(): void {
    const { nodes, links } = this.network;
    const unit = this.unit;
    const xs = nodes.x.map((x) => this.screenX(x));
    const ys = nodes.y.map((y) => this.screenY(y));
    for (let link = 0; link < links.name.length; ++link) {
      const [a, b] = [links.from[link]!, links.to[link]!];
      const dx = xs[b]! - xs[a]!;
      const dy = ys[b]! - ys[a]!;
      const shift = (this.side[link]! * (this.thickness[link]! + 0.9) * unit) / Math.max(Math.hypot(dx, dy), 1e-9);
      // To the right of its direction, where y points down.
      this.ends.set([xs[a]! - dy * shift, ys[a]! + dx * shift, xs[b]! - dy * shift, ys[b]! + dx * shift], 4 * link);
    }
  }

  private trace(pen: CanvasRenderingContext2D, link: number): void {
    const e = this.ends;
    pen.moveTo(e[4 * link]!, e[4 * link + 1]!);
    pen.lineTo(e[4 * link + 2]!, e[4 * link + 3]!);
  }

  draw(period: number): void {
    const { canvas } = this;
    this.width = canvas.clientWidth;
    this.height = canvas.clientHeight;
    if (this.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(this.width * ratio);
    canvas.height = Math.round(this.height * ratio);
    const pen = canvas.getContext('2d')!;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const ink = style.getPropertyValue('--ink');
    this.place();
    const frame = this.frames.at(period);
    this.drawLinks(pen, frame?.permille ?? null);
    this.drawOverloads(pen, frame?.permille ?? null, style.getPropertyValue('--overload'));
    this.drawChanged(pen, period, ink, style.getPropertyValue('--panel'));
    this.drawNodes(pen, ink, style);
    if (this.highlighted >= 0) this.drawHighlight(pen, ink);
  }

  /** One path a shade and width, light loads first. */
  private drawLinks(pen: CanvasRenderingContext2D, permille: Uint16Array | null): void {
    const groups = new Map<number, number[]>();
    for (let link = 0; link < this.thickness.length; ++link) {
      const load = permille ? permille[link]! : 0;
      const shade = Math.min(shades - 1, Math.floor((load * (shades - 1)) / 1000));
      const key = shade * 8 + Math.round((this.thickness[link]! - 1) * 4);
      const group = groups.get(key);
      if (group) group.push(link);
      else groups.set(key, [link]);
    }
    const colours = palette(isDark(), shades);
    pen.lineCap = 'butt';
    for (const key of [...groups.keys()].sort((a, b) => a - b)) {
      pen.beginPath();
      for (const link of groups.get(key)!) this.trace(pen, link);
      pen.strokeStyle = colours[key >> 3]!;
      pen.lineWidth = (1 + (key & 7) / 4) * this.unit;
      pen.stroke();
    }
  }

  /** Above capacity: dashes along the middle, so that it shows in any colour. */
  private drawOverloads(pen: CanvasRenderingContext2D, permille: Uint16Array | null, colour: string): void {
    if (!permille) return;
    pen.save();
    pen.beginPath();
    for (let link = 0; link < permille.length; ++link) {
      if (permille[link]! > 1000) this.trace(pen, link);
    }
    pen.setLineDash([5, 4]);
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(1.5, this.unit * 0.8);
    pen.stroke();
    pen.restore();
  }

  /** Closed links: a cross; another capacity than usual: a ring. */
  private drawChanged(pen: CanvasRenderingContext2D, period: number, ink: string, ground: string): void {
    pen.save();
    pen.strokeStyle = ink;
    pen.fillStyle = ground;
    pen.lineWidth = 1.75;
    for (const link of this.capacities.changed(period)) {
      const x = (this.ends[4 * link]! + this.ends[4 * link + 2]!) / 2;
      const y = (this.ends[4 * link + 1]! + this.ends[4 * link + 3]!) / 2;
      pen.beginPath();
      pen.arc(x, y, 6, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
      if (this.capacities.at(link, period) > 0) continue;
      pen.beginPath();
      for (const slope of [-1, 1]) {
        pen.moveTo(x - 3, y - 3 * slope);
        pen.lineTo(x + 3, y + 3 * slope);
      }
      pen.stroke();
    }
    pen.restore();
  }

  private drawNodes(pen: CanvasRenderingContext2D, ink: string, style: CSSStyleDeclaration): void {
    const { nodes, links } = this.network;
    const linked = new Set([...links.from, ...links.to]);
    const labelled = linked.size <= labelledNodes * this.view.zoom ** 2;
    if (linked.size <= 600 * this.view.zoom ** 2) {
      pen.fillStyle = style.getPropertyValue('--soft');
      pen.beginPath();
      for (const node of linked) {
        const [x, y] = [this.screenX(nodes.x[node]!), this.screenY(nodes.y[node]!)];
        pen.moveTo(x + 2, y);
        pen.arc(x, y, linked.size <= labelledNodes ? 3 : 1.6, 0, 2 * Math.PI);
      }
      pen.fill();
    }
    if (!labelled) return;
    pen.font = `11px ${style.fontFamily}`;
    pen.lineWidth = 3;
    pen.lineJoin = 'round';
    pen.strokeStyle = style.getPropertyValue('--panel');
    pen.fillStyle = ink;
    for (const node of linked) {
      const [x, y] = [this.screenX(nodes.x[node]!) + 6, this.screenY(nodes.y[node]!) - 6];
      if (x < -80 || x > this.width + 80 || y < -20 || y > this.height + 20) continue;
      pen.strokeText(nodes.name[node]!, x, y);
      pen.fillText(nodes.name[node]!, x, y);
    }
  }

  /** The selected link, with an arrow in its direction. */
  private drawHighlight(pen: CanvasRenderingContext2D, ink: string): void {
    const link = this.highlighted;
    const [ax, ay, bx, by] = [...this.ends.subarray(4 * link, 4 * link + 4)] as [number, number, number, number];
    const length = Math.max(Math.hypot(bx - ax, by - ay), 1e-9);
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
    const half = (this.thickness[link]! * this.unit) / 2 + 2;
    pen.save();
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const s of [-half, half]) {
      pen.moveTo(ax - uy * s, ay + ux * s);
      pen.lineTo(bx - uy * s, by + ux * s);
    }
    pen.stroke();
    const [mx, my] = [(ax + bx) / 2, (ay + by) / 2];
    pen.beginPath();
    pen.moveTo(mx + ux * 7, my + uy * 7);
    pen.lineTo(mx - ux * 5 - uy * 6, my - uy * 5 + ux * 6);
    pen.lineTo(mx - ux * 5 + uy * 6, my - uy * 5 - ux * 6);
    pen.fill();
    pen.restore();
  }

  /** The link nearest to a point of the screen, within reach of a finger; -1 if there is none. */
  linkAt(x: number, y: number, reach: number): number {
    let best = -1;
    let least = reach * reach;
    const e = this.ends;
    for (let link = 0; link < e.length / 4; ++link) {
      const d = distance2(x, y, e[4 * link]!, e[4 * link + 1]!, e[4 * link + 2]!, e[4 * link + 3]!);
      if (d < least) [least, best] = [d, link];
    }
    return best;
  }
  middleOf(link: number): [number, number] {
    const e = this.ends;
    return [(e[4 * link]! + e[4 * link + 2]!) / 2, (e[4 * link + 1]! + e[4 * link + 3]!) / 2];
  }
  /** Closer or further, with the point (x, y) of the screen kept in its place. */
  zoomAt(factor: number, x = this.width / 2, y = this.height / 2): void {
    const zoom = Math.min(60, Math.max(1, this.view.zoom * factor));
    const grown = zoom / this.view.zoom;
    this.view.x = (this.view.x + this.width / 2 - x) * grown + x - this.width / 2;
    this.view.y = (this.view.y + this.height / 2 - y) * grown + y - this.height / 2;
    this.view.zoom = zoom;
    this.pan(0, 0);
  }
  /** Keeps the middle of the screen within the network. */
  pan(dx: number, dy: number): void {
    const clamp = (value: number, most: number): number => Math.min(most, Math.max(-most, value));
    const half = this.view.zoom > 1 ? 0.5 : 0;
    this.view.x = clamp(this.view.x + dx, half * this.width * this.view.zoom);
    this.view.y = clamp(this.view.y + dy, half * this.height * this.view.zoom);
  }
}
