// Light or dark. On paper it is always light, and canvases have to be drawn again for it.
const wanted = window.matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];
let printing = false;

export const isDark = (): boolean => wanted.matches && !printing;

/** `redraw` has to finish before it returns, because printing does not wait for frames. */
export function onScheme(redraw: () => void): void {
  listeners.push(redraw);
}

function change(): void {
  for (const redraw of listeners) redraw();
}
function print(begins: boolean): void {
  printing = begins;
  document.documentElement.classList.toggle('printing', begins);
  change();
}
wanted.addEventListener('change', change);
window.addEventListener('beforeprint', () => print(true));
window.addEventListener('afterprint', () => print(false));
