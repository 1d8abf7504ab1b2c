// Canvases that show a part of the plane: places of points, axes and their marks.
import { compact } from './format';
import type { Columns, PlayData } from './play_data';
import { roundMarks } from './timeline';

export interface Frame { left: number; right: number; low: number; high: number }

/** The bounds of the points with a margin; without points, the unit square. */
export function cover(all: Columns[], room = 0.05): Frame {
  const frame = { left: Infinity, right: -Infinity, low: Infinity, high: -Infinity };
  for (const { x, y } of all) {
    x.forEach((value, i) => {
      const other = y[i];
      if (value === null || other === null || other === undefined) return;
      frame.left = Math.min(frame.left, value);
      frame.right = Math.max(frame.right, value);
      frame.low = Math.min(frame.low, other);
      frame.high = Math.max(frame.high, other);
    });
  }
  if (!(frame.left <= frame.right)) return { left: 0, right: 1, low: 0, high: 1 };
  const [across, up] = [frame.right - frame.left, frame.high - frame.low];
  const most = Math.max(across, up) || Math.max(Math.abs(frame.left), Math.abs(frame.low)) || 1;
  const [dx, dy] = [room * (across || most), room * (up || most)];
  return { left: frame.left - dx, right: frame.right + dx, low: frame.low - dy, high: frame.high + dy };
}

/** Where shares (1 - b - c, b, c) lie in a triangle with its corners at (0, 0), (1, 0) and the top. */
export function inTriangle(b: number, c: number): [number, number] {
  return [b + c / 2, (c * Math.sqrt(3)) / 2];
}

/** Whether plays follow each other in strides too wide for lines: the median one, of a box of one by one. */
export function leaps(xs: number[], ys: number[]): boolean {
  const strides = xs.slice(1).map((x, i) => Math.hypot(x - xs[i]!, ys[i + 1]! - ys[i]!)).filter(Number.isFinite).sort((a, b) => a - b);
  return strides.length > 0 && strides[strides.length >> 1]! > 0.12;
}

/** The bounds of the data with a margin; outliers of an early generator must not shrink it. */
export function cloudFrame(data: Pick<PlayData, 'real' | 'centres' | 'clouds'>): Frame {
  const known = [data.real, data.centres].filter(({ x }) => x.length > 0);
  return known.length ? cover(known, 0.15) : cover(data.clouds);
}

/** How many points lie in a frame, and how many do not. */
export function countInside({ x, y }: Columns, frame: Frame): { inside: number; outside: number } {
  let inside = 0;
  let outside = 0;
  x.forEach((value, i) => {
    const other = y[i] ?? null;
    const is = value !== null && other !== null && value >= frame.left && value <= frame.right && other >= frame.low && other <= frame.high;
    if (is) ++inside;
    else ++outside;
  });
  return { inside, outside };
}

/** `most` places from the first to the last of `count`, evenly. */
export function spread(count: number, most: number): number[] {
  const places = Math.min(count, most);
  return Array.from({ length: places }, (_, i) => (places === 1 ? count - 1 : Math.round((i * (count - 1)) / (places - 1))));
}

/** From the plane to the canvas. */
export class Placement {
  readonly scaleX: number;
  readonly scaleY: number;
  private readonly atLeft: number;
  private readonly atLow: number;

  /** `box` is the part of the canvas to draw in; `equal`: both axes have the same unit. */
  constructor(readonly frame: Frame, readonly box: { x: number; y: number; width: number; height: number }, equal = false) {
    const [across, up] = [frame.right - frame.left, frame.high - frame.low];
    const [sx, sy] = [box.width / across, box.height / up];
    [this.scaleX, this.scaleY] = equal ? [Math.min(sx, sy), Math.min(sx, sy)] : [sx, sy];
    this.atLeft = box.x + (box.width - across * this.scaleX) / 2;
    this.atLow = box.y + box.height - (box.height - up * this.scaleY) / 2;
  }
  x(value: number): number {
    return this.atLeft + (value - this.frame.left) * this.scaleX;
  }
  y(value: number): number {
    return this.atLow - (value - this.frame.low) * this.scaleY;
  }
}

/** A canvas as sharp as the screen, cleared; null while it is not shown. */
export function freshPen(canvas: HTMLCanvasElement): { pen: CanvasRenderingContext2D; width: number; height: number; style: CSSStyleDeclaration } | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width === 0 || height === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d')!;
  pen.scale(ratio, ratio);
  return { pen, width, height, style: getComputedStyle(canvas) };
}

/** Lines and numbers at round values, to the left and below; names of the axes. */
export function drawAxes(pen: CanvasRenderingContext2D, to: Placement, style: CSSStyleDeclaration, names: [string, string]): void {
  const { x, y, width, height } = to.box;
  pen.save();
  pen.font = `11px ${style.fontFamily}`;
  pen.fillStyle = style.getPropertyValue('--soft');
  pen.strokeStyle = style.getPropertyValue('--line');
  pen.lineWidth = 1;
  pen.beginPath();
  pen.textAlign = 'center';
  pen.textBaseline = 'top';
  for (const mark of roundMarks(to.frame.left, to.frame.right, Math.max(2, width / 70))) {
    const at = Math.round(to.x(mark)) + 0.5;
    pen.moveTo(at, y);
    pen.lineTo(at, y + height);
    pen.fillText(compact(mark), at, y + height + 5);
  }
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  for (const mark of roundMarks(to.frame.low, to.frame.high, Math.max(2, height / 50))) {
    const at = Math.round(to.y(mark)) + 0.5;
    pen.moveTo(x, at);
    pen.lineTo(x + width, at);
    pen.fillText(compact(mark), x - 6, at);
  }
  pen.stroke();
  pen.fillStyle = style.getPropertyValue('--ink');
  pen.textAlign = 'center';
  pen.textBaseline = 'bottom';
  pen.fillText(names[0], x + width / 2, y + height + 34);
  pen.translate(x - 38, y + height / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(names[1], 0, 4);
  pen.restore();
}
