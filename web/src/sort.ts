import type { Method } from './data';

/** By number or by name; unknown values last, whichever way. */
export function sortMethods(methods: Method[], key: keyof Method, descending: boolean): Method[] {
  const sign = descending ? -1 : 1;
  return [...methods].sort((a, b) => {
    const [p, q] = [a[key], b[key]];
    if (p === null || q === null) return p === q ? 0 : p === null ? 1 : -1;
    return sign * (typeof p === 'string' ? p.localeCompare(String(q)) : Number(p) - Number(q));
  });
}

/** The primary method first, then rivals from the best to the worst, the lower bound last. */
export function inOrder(methods: Method[]): Method[] {
  const rank = (method: Method): number => (method.isPrimary ? -1 : method.isLowerBound ? 1 : 0);
  return [...methods].sort((a, b) => rank(a) - rank(b) || (a.total_cost ?? Infinity) - (b.total_cost ?? Infinity));
}
