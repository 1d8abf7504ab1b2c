// What if: another window, another tolerance, a closed link. The run stays as it is; a fork gets the change.
import { h, panel } from './dom';
import type { RunData } from './run_data';
import { Refused, request } from './run_service';
import { byField, freeName } from './run_words';

const offered: Record<string, { label: string; help: string }> = {
  window: { label: 'Window w', help: 'records whose mean loss is kept stationary' },
  tolerance: { label: 'Tolerance \u03b4', help: 'a turn ends at a gap of \u03b4/w; a number or auto' },
  hysteresis: { label: 'Hysteresis \u03b8', help: 'a turn that takes steps ends at \u03b8 times its tolerance' },
  'max-steps': { label: 'Most steps', help: 'inner steps a turn' },
};

interface Field { input: HTMLInputElement; error: HTMLElement; usual: string }

export class WhatIf {
  readonly element: HTMLElement;
  private readonly fields = new Map<string, Field>();
  private readonly problem = h('p.problem', { role: 'alert' });
  private readonly button = h('button.primary', { type: 'submit' }, 'Fork from now');
  private readonly links: string[];
  private readonly select: HTMLSelectElement | null = null;
  private readonly closures = h('ul.closures', { 'aria-label': 'Links that are closed in the fork' });
  private readonly closed = new Set<number>();
  private named = false; // by the user

  constructor(data: RunData, private readonly url: string, private readonly taken: () => string[], private readonly done: () => void) {
    this.links = data.scenery?.network?.links.name ?? [];
    const row = (id: string, label: string, value: string, help: string): HTMLElement => {
      const input = h('input', { id: `what-${id}`, type: 'text', value, autocomplete: 'off', spellcheck: 'false', 'aria-describedby': `what-${id}-help what-${id}-error` });
      const error = h('span.problem', { id: `what-${id}-error`, role: 'alert' });
      this.fields.set(id, { input, error, usual: value });
      return h('div.field', {}, h('label', { for: `what-${id}` }, label), input, h('span.help', { id: `what-${id}-help` }, help), error);
    };
    const rows = Object.entries(offered).flatMap(([name, { label, help }]) => {
      const setting = data.settings.find((each) => each.name === name);
      return setting ? [row(name, label, setting.value, help)] : [];
    });
    const name = row('name', 'Name', freeName(taken()), 'a-z, 0-9 and -');
    this.fields.get('name')!.input.addEventListener('input', () => (this.named = true));
    const form = h('form.what-if', { submit: (event) => { event.preventDefault(); void this.fork(); } }, name, ...rows);
    if (this.links.length > 0) {
      const select = (this.select = h('select', { id: 'what-link', 'aria-describedby': 'what-link-help' }, h('option', { value: '' }, 'none'),
        ...this.links.map((link, i) => h('option', { value: i }, link))));
      const add = h('button', { type: 'button', click: () => this.close(Number(select.value || -1)) }, 'Close it');
      form.append(h('div.field.link', {}, h('label', { for: 'what-link' }, 'Close a link'), h('div.pick', {}, select, add),
        h('span.help', { id: 'what-link-help' }, 'picked here or on the map'), this.closures));
    }
    form.append(h('div.send', {}, this.button, this.problem));
    this.element = panel('what-if', 'What if', 'This run stays as it is; a fork of it gets the same records under other settings.', form);
  }

  /** A link that was picked on the map. */
  pick(link: number): void {
    if (this.select) this.select.value = link < 0 ? '' : String(link);
  }

  private close(link: number): void {
    if (link < 0 || this.closed.has(link)) return;
    this.closed.add(link);
    const item = h('li', {}, h('span', {}, this.links[link]!), h('button', {
      type: 'button', 'aria-label': `Leave ${this.links[link]!} open`, click: () => {
        this.closed.delete(link);
        item.remove();
        this.select?.focus();
      },
    }, '\u00d7'));
    this.closures.append(item);
  }

  private async fork(): Promise<void> {
    this.say(new Map(), []);
    const settings: Record<string, string> = {};
    for (const [name, { input, usual }] of this.fields) {
      if (name !== 'name' && input.value.trim() !== usual) settings[name] = input.value.trim();
    }
    // A picked link counts, whether or not it is on the list.
    const links = new Set([...this.closed, ...(this.select?.value ? [Number(this.select.value)] : [])]);
    const events = [...links].map((link) => ({ link: this.links[link]!, close: true }));
    this.button.disabled = true;
    try {
      const name = this.fields.get('name')!;
      await request('POST', `${this.url}/fork`, { name: name.input.value.trim(), settings, events });
      this.done();
      this.named = false;
    } catch (error) {
      const sentences = error instanceof Refused ? error.sentences : [error instanceof Error ? error.message : String(error)];
      const { fields, rest } = byField(sentences, [...this.fields.keys()]);
      this.say(fields, rest);
      const first = [...fields.keys()][0];
      if (first) this.fields.get(first)!.input.focus();
    } finally {
      this.button.disabled = false;
    }
  }
  private say(fields: Map<string, string>, rest: string[]): void {
    for (const [name, { input, error }] of this.fields) {
      error.textContent = fields.get(name) ?? '';
      if (fields.has(name)) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
    }
    this.problem.textContent = rest.join('; ');
  }
  /** Proposes another name once the present one is taken. */
  propose(): void {
    const { input } = this.fields.get('name')!;
    if (!this.named && this.taken().includes(input.value)) input.value = freeName(this.taken());
  }
}
