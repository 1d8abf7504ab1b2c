// The report of a routing run.
import { charts } from './charts';
import { Clock } from './clock';
import type { ReportData } from './data';
import { h } from './dom';
import { certificatePanel, settingsPanel, sumsPanel } from './findings';
import { count, duration } from './format';
import { kpiStrip, masthead } from './head';
import { logPanel } from './log';
import { mapPanel, reportMap } from './map_panel';
import { methodsPanel } from './methods';
import { routeBar } from './route_bar';
import { periodTimeline } from './timeline';

function head(data: ReportData): HTMLElement {
  const { network, periods, methods } = data;
  const primary = methods.find((method) => method.isPrimary);
  const linked = new Set([...network.links.from, ...network.links.to]).size;
  return masthead(data.title, data.version, [
    periods.minutes > 0 ? `${count(periods.labels.length, 'period')} of ${duration(periods.minutes)}` : count(periods.labels.length, 'period'),
    `${count(linked, 'node')}, ${count(network.links.name.length, 'link')}`,
    primary ? `primary method: ${primary.label || primary.name}` : '',
  ], data.certificate.claims);
}

export function routePage(data: ReportData): (HTMLElement | null)[] {
  const time = periodTimeline(data.periods);
  const clock = new Clock(time.labels.length);
  const drawn = charts(data, time, clock);
  const [beside, below] = [drawn.others.slice(0, 1), drawn.others.slice(1)];
  const parts = [
    head(data),
    kpiStrip(data.kpis),
    h('main', {},
      h('div.overview', {}, mapPanel(reportMap(data), clock), h('div.beside', {}, drawn.cost, ...beside)),
      h('div.small-charts', {}, ...below),
      methodsPanel(data),
      h('div.halves', {}, logPanel(data, clock), certificatePanel(data.certificate)),
      h('div.halves', {}, settingsPanel(data), sumsPanel(data))),
    time.labels.length > 0 ? routeBar(data, time, clock) : null,
  ];
  // Open at the busiest period.
  const loads = data.primary.utilisation_max.map((load) => load ?? -1);
  clock.go(loads.reduce((best, load, i) => (load > loads[best]! ? i : best), 0));
  return parts;
}
