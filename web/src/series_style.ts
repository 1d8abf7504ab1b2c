// The style of lines: colour, dashes and marks differ together, so that any one of them may be missing.

export type Mark = 'none' | 'disc' | 'square' | 'triangle' | 'diamond' | 'cross';
export interface LineStyle {
  colour: string; // a CSS variable
  width: number;
  dash: number[];
  mark: Mark;
}

export const primaryStyle: LineStyle = { colour: '--accent', width: 2.25, dash: [], mark: 'none' };
export const boundStyle: LineStyle = { colour: '--ink', width: 1.25, dash: [2, 3], mark: 'none' };

const marks: Mark[] = ['disc', 'square', 'triangle', 'diamond', 'cross'];
const dashes = [[7, 3], [], [9, 3, 2, 3], [4, 2], [12, 4]];
export const hues = 6; // --hue-0 .. in style.css

/** Of the rival with that number; no two of the first thirty look the same. */
export function rivalStyle(rival: number): LineStyle {
  return {
    colour: `--hue-${rival % hues}`,
    width: 1.25,
    dash: dashes[rival % dashes.length]!,
    mark: marks[(rival + Math.floor(rival / (hues * dashes.length))) % marks.length]!,
  };
}

export function drawMark(pen: CanvasRenderingContext2D, mark: Mark, x: number, y: number, r: number): void {
  pen.beginPath();
  if (mark === 'disc') pen.arc(x, y, r, 0, 2 * Math.PI);
  else if (mark === 'square') pen.rect(x - r * 0.85, y - r * 0.85, 1.7 * r, 1.7 * r);
  else if (mark === 'triangle') polygon(pen, [[x, y - r * 1.2], [x + r * 1.1, y + r * 0.8], [x - r * 1.1, y + r * 0.8]]);
  else if (mark === 'diamond') polygon(pen, [[x, y - r * 1.3], [x + r * 1.1, y], [x, y + r * 1.3], [x - r * 1.1, y]]);
  else if (mark === 'cross') {
    pen.moveTo(x - r, y - r);
    pen.lineTo(x + r, y + r);
    pen.moveTo(x - r, y + r);
    pen.lineTo(x + r, y - r);
    pen.stroke();
    return;
  }
  pen.fill();
}

function polygon(pen: CanvasRenderingContext2D, corners: [number, number][]): void {
  corners.forEach(([x, y], i) => (i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
  pen.closePath();
}

/** A short piece of the line, for legends. */
export function drawSwatch(canvas: HTMLCanvasElement, style: LineStyle): void {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [28, 12];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext('2d')!;
  pen.scale(ratio, ratio);
  pen.strokeStyle = pen.fillStyle = getComputedStyle(canvas).getPropertyValue(style.colour);
  pen.lineWidth = Math.max(1.5, style.width);
  pen.setLineDash(style.dash);
  pen.beginPath();
  pen.moveTo(0, height / 2);
  pen.lineTo(width, height / 2);
  pen.stroke();
  pen.setLineDash([]);
  if (style.mark !== 'none') drawMark(pen, style.mark, width / 2, height / 2, 3);
}
