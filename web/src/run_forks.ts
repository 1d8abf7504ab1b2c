// Forks of a run: each listens to its own events, and a table shows the differences.
import { h, panel } from './dom';
import { figure } from './format';
import { forkStyle } from './run_charts';
import type { RunData, RunFork } from './run_data';
import { Feed } from './run_feed';
import type { Traced } from './run_grid';
import { RunModel } from './run_model';
import { meanSince } from './run_series';
import { browserSurroundings, request } from './run_service';
import { difference } from './run_words';
import { drawSwatch, primaryStyle } from './series_style';

const drawn = 3; // forks that listen and are drawn: a browser keeps few lines open to one service

interface Followed { fork: RunFork; feed: Feed | null }

const since = (model: RunModel, channel: string, turn: number): number | null =>
  meanSince(model.since(turn) ?? model.series, model.channel(channel), turn).mean;

const measures = [
  { channel: ['loss', 'cost', 'gap', 'objective'], title: (name: string) => `mean ${name}` },
  { channel: ['stationarity_gap'], title: () => 'mean gap' },
  { channel: ['steps'], title: () => 'mean steps' },
];

export class ForkBoard {
  readonly element = panel('forks', 'Forks', '', h('p.problem', { role: 'alert' }), h('table.forks'));
  private readonly followed = new Map<string, Followed>();
  private shape = '';

  constructor(private readonly model: RunModel, private readonly live: boolean, private readonly changed: () => void, private readonly ended: () => void) {
    this.element.hidden = true;
  }

  /** The forks in page data: new ones are connected, missing ones disconnected. */
  follow(forks: RunFork[]): void {
    for (const [name, { feed }] of this.followed) {
      if (forks.some((fork) => fork.name === name)) continue;
      feed?.stop();
      this.followed.delete(name);
    }
    for (const fork of forks) {
      const known = this.followed.get(fork.name);
      if (known) known.fork = fork;
      else {
        this.followed.set(fork.name, { fork, feed: null });
        if (this.live && this.followed.size <= drawn) void this.listen(fork);
      }
    }
  }

  private async listen(fork: RunFork): Promise<void> {
    const around = browserSurroundings(true);
    const data = (await around.page(`${fork.url}/page`).catch(() => null)) as RunData | null;
    const followed = this.followed.get(fork.name);
    if (!data || !followed || followed.feed) return;
    followed.feed = new Feed(new RunModel(data), fork.url, around, this.changed);
    followed.feed.start();
    this.changed();
  }

  get names(): string[] {
    return [...this.followed.keys()];
  }
  /** Those that are drawn beside the run. */
  get traced(): Traced[] {
    return [...this.followed.values()].flatMap(({ fork, feed }) => (feed ? [{ name: fork.name, model: feed.model, begun: fork.begun }] : []));
  }

  show(): void {
    const forks = [...this.followed.values()];
    this.element.hidden = forks.length === 0;
    if (forks.length === 0) return;
    const shape = JSON.stringify(forks.map(({ fork, feed }) => [fork.name, fork.begun, fork.settings, feed !== null, feed?.status === 'gone']));
    if (shape !== this.shape) this.build(forks);
    this.shape = shape;
    this.fill(forks);
  }

  private build(forks: Followed[]): void {
    const heads = this.columns().map(({ title }) => title);
    const table = this.element.querySelector('table')!;
    const swatch = (i: number): HTMLCanvasElement => h('canvas.swatch', { 'aria-hidden': 'true', 'data-run': i });
    const cells = (): HTMLElement[] => heads.map((head) => h('td', { 'data-title': head }));
    table.replaceChildren(
      h('thead', {}, h('tr', {}, ...['run', 'otherwise', 'turn', ...heads, ''].map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', {},
        h('tr', {}, h('th', { scope: 'row' }, swatch(0), 'this run'), h('td.otherwise', { 'data-title': 'otherwise' }, '\u2013'), h('td', { 'data-title': 'turn' }), ...cells(), h('td', {})),
        ...forks.map(({ fork, feed }, i) => h('tr', { 'data-fork': fork.name },
          h('th', { scope: 'row' }, feed ? swatch(i + 1) : null, fork.name),
          h('td.otherwise', { 'data-title': 'otherwise' }, h('span.changes'), h('span.problem', { role: 'alert' })),
          h('td', { 'data-title': 'turn' }), ...cells(),
          h('td.end', {}, this.live && fork.url ? h('button', { type: 'button', click: () => void this.end(fork) }, `End ${fork.name}`) : null)))));
    const begun = Math.min(...forks.map(({ fork }) => fork.begun));
    this.element.querySelector('.panel-head .note')?.remove();
    this.element.querySelector('.panel-head')!.append(h('p.note', {}, `Since the fork at turn ${figure(begun, 15)}: means of the turns since, and how much a fork differs.`));
    requestAnimationFrame(() => this.element.querySelectorAll<HTMLCanvasElement>('canvas.swatch').forEach((canvas) => {
      const run = Number(canvas.dataset['run']);
      drawSwatch(canvas, run === 0 ? primaryStyle : forkStyle(run - 1));
    }));
  }

  /** Links that are closed in a fork and not in the run. */
  private closures(feed: Feed | null): string[] {
    const names = this.model.data.scenery?.network?.links.name ?? [];
    const here = this.model.data.picture?.closed ?? [];
    return (feed?.model.data.picture?.closed ?? []).filter((link) => !here.includes(link)).map((link) => `${names[link] ?? link} closed`);
  }

  private columns(): { title: string; name: string }[] {
    return measures.flatMap(({ channel, title }) => {
      const name = channel.find((each) => this.model.channel(each) >= 0);
      return name ? [{ title: title(name), name }] : [];
    });
  }

  private fill(forks: Followed[]): void {
    const rows = this.element.querySelectorAll('tbody tr');
    const set = (row: Element, place: number, text: string): void => {
      const cell = row.children[place]!;
      if (cell.textContent !== text) cell.textContent = text;
    };
    const begun = Math.min(...forks.map(({ fork }) => fork.begun));
    const columns = this.columns();
    set(rows[0]!, 2, figure(this.model.turn, 15));
    columns.forEach(({ name }, c) => set(rows[0]!, 3 + c, figure(since(this.model, name, begun), 4)));
    forks.forEach(({ fork, feed }, i) => {
      const row = rows[i + 1]!;
      const tell = (place: string, text: string): void => {
        const span = row.querySelector(place)!;
        if (span.textContent !== text) span.textContent = text;
      };
      tell('.changes', [...fork.settings.map(({ name, value }) => `${name} ${value}`), ...this.closures(feed)].join(', ') || '\u2013');
      const { status, message } = feed?.model.state ?? { status: 'running', message: '' };
      tell('.problem', status === 'running' && !message ? '' : ` ${[status, message].filter(Boolean).join(': ')}`);
      set(row, 2, feed?.status === 'gone' ? 'ended' : figure(feed?.model.turn ?? fork.turn, 15));
      columns.forEach(({ name }, c) => {
        if (!feed) return set(row, 3 + c, '\u2013');
        const own = since(feed.model, name, fork.begun);
        const parent = since(this.model, name, fork.begun);
        set(row, 3 + c, own === null ? '\u2013' : `${figure(own, 4)}${parent ? ` (${difference(own / parent - 1)})` : ''}`);
      });
    });
  }

  private async end(fork: RunFork): Promise<void> {
    const problem = this.element.querySelector('.problem')!;
    problem.textContent = '';
    try {
      await request('DELETE', fork.url);
      this.followed.get(fork.name)?.feed?.stop();
      this.followed.delete(fork.name);
      this.ended();
    } catch (error) {
      problem.textContent = `${fork.name}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
