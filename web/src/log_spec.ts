// Charts with a logarithmic axis.
import type { ChartSpec, Line } from './chart';
import { compact, figure } from './format';
import { floored } from './thin';

type Named = Pick<Line, 'name' | 'style' | 'values'> & Partial<Line>;

/** A logarithmic axis whose foot is 0; legends show the true values. Lines that swing most come first in `lines`, so
 *  that they are drawn behind the others. */
export function logSpec(id: string, title: string, note: string, span: [number, number] | undefined, lines: Named[]): ChartSpec {
  const [foot] = span ?? [0];
  return {
    id, title, note, log: true, format: (value) => figure(value, 3),
    ...(span ? { span } : {}),
    axis: (value) => (value < 1.01 * foot && lines.some((line) => line.values.some((known) => typeof known === 'number' && known < foot)) ? '0' : compact(value)),
    lines: lines.map((line) => ({
      ...line, values: floored(line.values, foot), legendValues: line.legendValues ?? line.values,
      ...(line.band ? { band: { least: floored(line.band.least, foot), most: floored(line.band.most, foot) } } : {}),
    })),
  };
}
