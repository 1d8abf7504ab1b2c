// Places of links on the map: each direction of a road on its own side, parallel links beside each other.
import type { ReportData } from './data';

export interface Box { left: number; right: number; low: number; high: number }

/** The bounds of all links; nodes without a link are not drawn. */
export function extent(network: ReportData['network']): Box {
  const box = { left: Infinity, right: -Infinity, low: Infinity, high: -Infinity };
  for (const node of [...network.links.from, ...network.links.to]) {
    const x = network.nodes.x[node]!;
    const y = network.nodes.y[node]!;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.low = Math.min(box.low, y);
    box.high = Math.max(box.high, y);
  }
  return Number.isFinite(box.left) ? box : { left: 0, right: 1, low: 0, high: 1 };
}

/** Offset of each link to the right of its direction, in places: 0 if it is alone between its ends, else 0.5, 1.5,
 *  .. so that the directions of a road part in the middle. */
export function sides(network: ReportData['network']): Float32Array {
  const { from, to } = network.links;
  const used = new Map<string, number>();
  const place = from.map((node, link) => {
    const key = `${node}>${to[link]}`;
    const before = used.get(key) ?? 0;
    used.set(key, before + 1);
    return before;
  });
  return Float32Array.from(place, (before, link) => {
    const back = used.get(`${to[link]}>${from[link]}`) ?? 0;
    const along = used.get(`${from[link]}>${to[link]}`)!;
    return back > 0 ? before + 0.5 : before - (along - 1) / 2;
  });
}

/** Line widths from capacities: the square root, between 1 and 2.5, of equal ones 1.6. */
export function widths(capacities: number[]): Float32Array {
  const roots = capacities.map((capacity) => Math.sqrt(Math.max(capacity, 0)));
  const least = Math.min(...minmax(roots));
  const most = Math.max(...minmax(roots));
  return Float32Array.from(roots, (root) => (most > least ? 1 + (1.5 * (root - least)) / (most - least) : 1.6));
}

function minmax(values: number[]): [number, number] {
  return values.reduce<[number, number]>(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
}

/** The square of the distance from a point to a segment. */
export function distance2(px: number, py: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const length2 = dx * dx + dy * dy;
  const along = length2 > 0 ? Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length2)) : 0;
  return (px - ax - along * dx) ** 2 + (py - ay - along * dy) ** 2;
}
