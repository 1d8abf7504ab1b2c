// The page of a run: from a store, or live from the service.
import { Clock } from './clock';
import { h, oncePerFrame } from './dom';
import { certificatePanel, settingsPanel } from './findings';
import { figure } from './format';
import { RunBar } from './run_bar';
import { ChartBoard } from './run_charts';
import type { RunData } from './run_data';
import { Feed } from './run_feed';
import { ForkBoard } from './run_forks';
import { Grid, rawTurns, type Traced } from './run_grid';
import { runHead, runKpis, StatusLine } from './run_head';
import { alarmsPanel, decisionPanel } from './run_lists';
import { RunMap } from './run_map';
import { RunModel } from './run_model';
import { browserSurroundings } from './run_service';
import { WhatIf } from './run_whatif';
import { nearest } from './timeline';

const refreshSeconds = 10; // between certificates and decisions

/** A place in the page whose content is made anew when its data change. */
class Slot {
  private seen: unknown = this;
  constructor(readonly element: HTMLElement = h('div.slot')) {}
  show(of: unknown, make: () => (HTMLElement | null)[]): void {
    if (of === this.seen) return;
    this.seen = of;
    this.element.replaceChildren(...make().filter((part): part is HTMLElement => part !== null));
  }
}

export function runPage(data: RunData): (HTMLElement | null)[] {
  const model = new RunModel(data);
  const clock = new Clock(0);
  const url = data.live?.url ?? '';
  const network = data.scenery?.network?.links.name.length ? data.scenery.network : null;
  let grid = new Grid([{ name: 'this run', model, begun: 0 }], 'all');

  const redraw = oncePerFrame(() => draw());
  const feed = url ? new Feed(model, url, browserSurroundings(false), redraw) : null;
  const refresh = (): void => void feed?.refresh();
  const forks = new ForkBoard(model, feed !== null, redraw, refresh);
  const whatIf = feed && (data.run === 'learn' || data.run === 'route')
    ? new WhatIf(data, url, () => forks.names, refresh) : null;
  const bar = new RunBar(clock, (place) => grid.at[place], redraw);
  const board = new ChartBoard(clock, 2);
  const map = network ? new RunMap(network, (link) => whatIf?.pick(link)) : null;
  const status = new StatusLine();
  const [head, kpis, alarms, certificate, decision] = [0, 1, 2, 3, 4].map(() => new Slot()) as [Slot, Slot, Slot, Slot, Slot];
  // Settings of the command come first; the others are folded away.
  const said = data.settings.filter(({ name }) => new RegExp(` --${name}[ =]`).test(data.command));
  const settings = settingsPanel({
    command: data.command,
    settings: data.settings.filter(({ value }) => value !== '')
      .map((setting) => ({ ...setting, isDefault: said.length > 0 && !said.includes(setting) })),
  }, 'more settings');

  const now = (): number => performance.now() / 1000;
  const empty = h('p.note.no-turns', {}, 'No turn has been played yet.');
  function draw(): void {
    forks.follow(model.data.forks);
    const traced: Traced[] = [{ name: 'this run', model, begun: 0 }, ...forks.traced];
    if (bar.view === 'raw') void feed?.recall(rawTurns);
    const looked = grid.at[clock.period];
    grid = new Grid(traced, bar.view);
    bar.show(grid.at, bar.following || looked === undefined ? grid.at.length - 1 : nearest(grid.at, looked), traced.length > 1);
    board.show(grid, feed?.rate.points ?? []);
    empty.hidden = grid.at.length > 0;
    head.show(model.data.certificate, () => [runHead(model.data)]);
    status.show(model, feed, now());
    kpis.show(model.data, () => [runKpis(model)]);
    alarms.show(model.data.alarms, () => [alarmsPanel(model.data.alarms)]);
    certificate.show(model.data.certificate, () => [model.data.certificate && certificatePanel(model.data.certificate, [], feed ? `As of turn ${figure(model.certified, 15)}.` : '')]);
    decision.show(model.data.decision, () => [decisionPanel(model.data.decision, model.certified)]);
    if (map) pictureSlot.show(model.data.picture, () => (map.show(model.data.picture), []));
    forks.show();
    whatIf?.propose();
  }
  const pictureSlot = new Slot();

  draw();
  if (feed) {
    feed.start();
    window.setInterval(() => status.show(model, feed, now()), 1000);
    window.setInterval(() => !document.hidden && model.turn !== model.certified && refresh(), refreshSeconds * 1000);
  }
  return [
    head.element,
    status.element,
    kpis.element,
    h('main', {},
      map ? h('div.overview', {}, map.element, board.main) : board.main,
      empty,
      board.others,
      forks.element,
      whatIf?.element ?? null,
      h('div.halves', {}, alarms.element, certificate.element),
      h('div.halves', {}, decision.element, settings)),
    bar.element,
  ];
}
