import 'uplot/dist/uPlot.min.css';
import './style.css';
import { charts } from './charts';
import { Clock } from './clock';
import { readData, type ReportData } from './data';
import { h } from './dom';
import { certificatePanel, settingsPanel, sumsPanel, verdictSign } from './findings';
import { count, duration } from './format';
import { logPanel } from './log';
import { mapPanel } from './map_panel';
import { methodsPanel } from './methods';
import { timebar } from './timebar';

function masthead(data: ReportData): HTMLElement {
  const { network, periods, methods } = data;
  const lead = methods.find((method) => method.isLead);
  const linked = new Set([...network.links.from, ...network.links.to]).size;
  const facts = [
    periods.minutes > 0 ? `${count(periods.labels.length, 'period')} of ${duration(periods.minutes)}` : count(periods.labels.length, 'period'),
    `${count(linked, 'node')}, ${count(network.links.name.length, 'link')}`,
    lead ? `led by ${lead.label || lead.name}` : '',
  ].filter(Boolean);
  const kinds = data.certificate.claims.map((claim) => verdictSign(claim.verdict).kind);
  const bad = kinds.filter((kind) => kind === 'bad').length;
  const good = kinds.filter((kind) => kind === 'good').length;
  const proof = kinds.length === 0 ? null : h('a.proof', { href: '#certificate', class: bad ? 'proof bad' : 'proof good' },
    h('i', { 'aria-hidden': 'true' }, bad ? '\u2717' : '\u2713'),
    bad ? `certificate: ${count(bad, 'claim fails', 'claims fail')}` : `certificate: ${count(good, 'claim holds', 'claims hold')}`);
  return h('header.masthead', {},
    h('p.maker', {}, `proxstream${data.version ? ` ${data.version}` : ''}`),
    h('h1', {}, data.title),
    h('p.facts', {}, facts.join(' \u00b7 ')),
    proof);
}

function kpis(data: ReportData): HTMLElement | null {
  if (data.kpis.length === 0) return null;
  return h('section.kpis', { 'aria-label': 'Key figures' }, h('dl', {}, ...data.kpis.map(({ name, value, help }) =>
    h('div.kpi', {}, h('dt', {}, name), h('dd', {}, value), help ? h('dd.help', {}, help) : null))));
}

function build(data: ReportData): Node[] {
  const clock = new Clock(data.periods.labels.length);
  const drawn = charts(data, clock);
  const [beside, below] = [drawn.others.slice(0, 1), drawn.others.slice(1)];
  const hasTime = data.periods.labels.length > 0;
  const parts = [
    masthead(data),
    kpis(data),
    h('main', {},
      h('div.overview', {}, mapPanel(data, clock), h('div.beside', {}, drawn.cost, ...beside)),
      h('div.small-charts', {}, ...below),
      methodsPanel(data),
      h('div.halves', {}, logPanel(data, clock), certificatePanel(data)),
      h('div.halves', {}, settingsPanel(data), sumsPanel(data))),
    hasTime ? timebar(data, clock) : null,
  ];
  // Open at the busiest period: that is what people come to see.
  const loads = data.lead.utilisationMax.map((load) => load ?? -1);
  clock.go(loads.reduce((best, load, i) => (load > loads[best]! ? i : best), 0));
  return parts.filter((part): part is HTMLElement => part !== null);
}

const app = document.getElementById('app')!;
const data = readData();
if (data) {
  document.title = `${data.title} \u2013 proxstream`;
  app.replaceChildren(...build(data));
} else {
  app.replaceChildren(h('p.empty', {}, 'This is the empty report page: proxstream writes the data of a run into it.'));
}
