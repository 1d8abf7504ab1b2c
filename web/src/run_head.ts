// The name of a run, its status, and its present figures.
import { h } from './dom';
import { count, figure, percent, seconds } from './format';
import { kpiStrip, masthead, type Kpi } from './head';
import type { RunData } from './run_data';
import type { Feed } from './run_feed';
import type { RunModel } from './run_model';
import { meanOfAll } from './run_series';
import { ago } from './run_words';

const kinds = { learn: 'learner of rows', route: 'routing', play: 'game', fit: 'fit' };

export function runHead(data: RunData): HTMLElement {
  const created = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(data.created);
  return masthead(data.title, data.version, [
    kinds[data.run] ?? data.run,
    created ? `begun ${created[1]} ${created[2]} UTC` : '',
    data.id ? `run ${data.id}` : '',
  ], data.certificate?.claims ?? [], data.certificate?.sound ?? true);
}

const signs = { running: '\u25b6', paused: '\u2016', stopped: '\u25a0', failed: '\u2717' };

/** The status line. Screen readers read the status, not what changes with every turn. */
export class StatusLine {
  private readonly badge = h('span.badge');
  private readonly message = h('span.message');
  private readonly line = h('span.line', { role: 'status' });
  private readonly figures = h('span.pace');
  readonly element = h('div.status', { 'aria-label': 'Status' }, this.badge, this.message, this.figures, this.line);

  show(model: RunModel, feed: Feed | null, now: number): void {
    const { status, message, turn } = model.state;
    this.badge.className = `badge ${status}`;
    this.set(this.badge, `${signs[status] ?? ''} ${status}`);
    this.set(this.message, message);
    const rate = feed?.rate.at(now) ?? null;
    const behind = turn - model.turn;
    this.set(this.figures, [
      `turn ${figure(model.turn, 15)}`,
      rate === null ? '' : `${figure(rate, 3)} turns/s`,
      behind > 0 ? `${count(behind, 'turn')} behind` : '',
    ].filter(Boolean).join(' \u00b7 '));
    this.line.className = `line ${feed?.status ?? 'file'}`;
    this.set(this.line, this.connection(feed, now));
  }
  private connection(feed: Feed | null, now: number): string {
    if (!feed) return '';
    if (feed.status === 'live') return `live \u00b7 last event ${ago(now - feed.heard)} ago`;
    if (feed.status === 'connecting') return 'connecting';
    if (feed.status === 'gone') return 'no longer served';
    return `reconnecting \u00b7 last event ${ago(now - feed.heard)} ago${feed.trouble ? ` \u00b7 ${feed.trouble}` : ''}`;
  }
  private set(element: HTMLElement, text: string): void {
    if (element.textContent !== text) element.textContent = text;
  }
}

const metricTitles: Record<string, string> = {
  loss: 'Average loss', mae: 'MAE', rmse: 'RMSE', r2: 'R2', accuracy: 'Accuracy', log_loss: 'Log loss', auc: 'AUC', f1: 'F1', macro_f1: 'Macro F1',
};

/** Figures of the last turn, each with its reference. */
export function runKpis(model: RunModel): HTMLElement | null {
  const { series, data } = model;
  const last = series.buckets - 1;
  const now = (name: string): number | null => series.columns[model.channel(name)]?.latest[last] ?? null;
  const mean = (name: string): number | null => meanOfAll(series, model.channel(name));
  const kpis: Kpi[] = [{ name: 'Turns', value: figure(model.turn, 15), help: model.state.folded > 0 ? `${figure(model.state.folded, 15)} of them added up` : `state saved at ${figure(model.state.saved, 15)}` }];
  const add = (channel: string, name: string, help: (value: number) => string, text: (value: number | null) => string = (value) => figure(value, 4)): void => {
    const value = now(channel);
    if (value !== null) kpis.push({ name, value: text(value), help: help(value) });
  };
  const over = (name: string): string => `mean of all turns: ${figure(mean(name), 4)}`;
  add('loss', 'Loss now', () => over('loss'));
  const { summary } = data;
  for (const { name, all, recent } of summary?.metrics ?? []) {
    const newest = summary!.rows > summary!.window ? `newest ${figure(summary!.window, 15)} rows: ${figure(recent, 4)}` : 'all rows';
    kpis.push({ name: metricTitles[name] ?? name, value: figure(all, 4), help: newest });
  }
  add('cost', 'Cost now', () => over('cost'));
  add('objective', 'Objective', () => 'at the last measured point');
  add('gap', 'Smoothed gap', () => `proved: at most ${figure(now('gap_bound'), 3)}`, (value) => figure(value, 3));
  add('instant_gap', 'Gap of the play alone', () => over('instant_gap'), (value) => figure(value, 3));
  add('utilisation_max', 'Largest utilisation', () => `at most ${percent(series.columns[model.channel('utilisation_max')]!.most.reduce<number>((a, b) => Math.max(a, b ?? a), 0))} so far`, (value) => percent(value));
  add('stationarity_gap', 'Stationarity gap', () => (now('bound') === null ? '' : `proved: at most ${figure(now('bound'), 3)}`), (value) => figure(value, 3));
  add('regret', 'Local regret', (value) => {
    const bound = now('regret_bound');
    return bound === null ? '' : `${bound > 0 ? percent(value / bound) : '\u2013'} of what is proved`;
  }, (value) => figure(value, 3));
  add('steps', 'Inner steps', () => `mean of all turns: ${figure(mean('steps'), 3)}`, (value) => figure(value, 3));
  add('seconds', 'Learner\u2019s time', () => `mean of all turns: ${seconds(mean('seconds'))}`, seconds);
  const open = data.alarms.filter((alarm) => alarm.cleared === null).length;
  kpis.push({ name: 'Open alarms', value: figure(open), help: data.alarms.length > open ? `${count(data.alarms.length - open, 'cleared')}`.replace('cleareds', 'cleared') : '' });
  return kpiStrip(kpis);
}
