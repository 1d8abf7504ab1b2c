// Elements in one expression.
type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** A tag with optional classes ("p.note"); functions become listeners, true an empty attribute. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag | `${Tag}.${string}`,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const [name, ...classes] = tag.split('.') as [Tag, ...string[]];
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

/** A titled part of the page. */
export function panel(id: string, title: string, note: string, ...children: Child[]): HTMLElement {
  return h(
    'section.panel',
    { id, 'aria-labelledby': `${id}-title` },
    h('header.panel-head', {}, h('h2', { id: `${id}-title` }, title), note ? h('p.note', {}, note) : null),
    ...children,
  );
}

/** The same inside another panel. */
export function part(id: string, title: string, note: string, ...children: Child[]): HTMLElement {
  return h(
    'section.part',
    { id, 'aria-labelledby': `${id}-title` },
    h('header.panel-head', {}, h('h3', { id: `${id}-title` }, title), note ? h('p.note', {}, note) : null),
    ...children,
  );
}

export const prefersLessMotion = window.matchMedia('(prefers-reduced-motion: reduce)');

/** Runs `draw` once in the next frame, however often it was asked for. */
export function oncePerFrame(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}
