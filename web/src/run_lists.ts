// The lists of a run: alarms and its decision.
import { h, panel } from './dom';
import { count, figure } from './format';
import { alarmsInOrder, type RunAlarm } from './run_data';
import { largestFirst } from './run_words';

const alarmsAtFirst = 40;
const rowsAtFirst = 12;

function alarmRow(alarm: RunAlarm): HTMLElement {
  const open = alarm.cleared === null;
  return h('li', { class: open ? 'open' : 'cleared' },
    h('span.when', {}, `turn ${figure(alarm.turn, 15)}`),
    h('span.kind', {}, h('i', { 'aria-hidden': 'true' }, open ? '\u25b2' : '\u2713'), alarm.kind),
    h('span.what', {}, alarm.subject ? h('b', {}, alarm.subject) : null, alarm.subject ? ' ' : null, alarm.text),
    h('span.lasted', {}, open ? 'open' : `cleared at ${figure(alarm.cleared, 15)}`));
}

export function alarmsPanel(alarms: RunAlarm[]): HTMLElement {
  const open = alarms.filter((alarm) => alarm.cleared === null).length;
  const rows = alarmsInOrder(alarms).map(alarmRow);
  const note = alarms.length === 0 ? 'None so far.' : `${figure(open)} open, ${figure(alarms.length - open)} cleared.`;
  const rest = rows.slice(alarmsAtFirst);
  return panel('alarms', 'Alarms', note,
    rows.length ? h('ol.alarms', {}, ...rows.slice(0, alarmsAtFirst)) : null,
    rest.length ? h('details', {}, h('summary', {}, count(rest.length, 'more', 'more')), h('ol.alarms', {}, ...rest)) : null);
}

function tableOf(caption: string, heads: string[], rows: string[][], left = 1): HTMLElement {
  const table = (some: string[][]): HTMLElement => h('table.decision', { 'aria-label': caption },
    h('thead', {}, h('tr', {}, ...heads.map((head, i) => h('th', { scope: 'col', class: i < left ? 'left' : '' }, head)))),
    h('tbody', {}, ...some.map((row) => h('tr', {}, ...row.map((text, i) =>
      (i === 0 ? h('th', { scope: 'row' }, text) : h('td', { class: i < left ? 'left' : '' }, text)))))));
  const rest = rows.slice(rowsAtFirst);
  return h('div', {}, table(rows.slice(0, rowsAtFirst)),
    rest.length ? h('details', {}, h('summary', {}, count(rest.length, 'more', 'more')), table(rest.slice(0, 2000))) : null);
}

const isNumbers = (value: unknown): value is (number | null)[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => each === null || typeof each === 'number');
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const short = (value: unknown): string => (typeof value === 'number' ? figure(value, 6) : typeof value === 'string' ? value : JSON.stringify(value));

interface Share { path?: unknown; share?: unknown }
const isSplits = (value: unknown): value is Record<string, Share[]> => isObject(value) && Object.keys(value).length > 0
  && Object.values(value).every((shares) => Array.isArray(shares) && shares.every((each) => isObject(each) && 'share' in each));

/** Shares of a pair's demand, path by path, the largest first; a path of no links leaves the network. */
function splitRows(splits: Record<string, Share[]>): string[][] {
  return Object.entries(splits).flatMap(([pair, shares]) => {
    if (shares.length === 0) return [[pair, 'no path', '\u2013']];
    return [...shares].sort((a, b) => Number(b.share) - Number(a.share)).map(({ path, share }, i) => [
      i === 0 ? pair : '',
      Array.isArray(path) ? (path.length ? path.join(' \u2192 ') : 'leaves the network') : short(path),
      `${figure(Number(share) * 100, 4)}\u202f%`,
    ]);
  });
}

/** `names`: of the coordinates, where they have names; one more than those is the intercept. */
function member(name: string, value: unknown, names: string[]): HTMLElement | null {
  const title = h('h3', {}, name);
  if (isNumbers(value)) {
    const rows = largestFirst(value, value.length === names.length + 1 ? [...names, 'intercept'] : value.length === names.length ? names : []);
    const zeros = value.length - rows.length;
    return h('section.part', {}, title, h('p.note', {}, `${count(value.length, 'coordinate')}, the largest first${zeros ? `; ${figure(zeros)} of them ${zeros === 1 ? 'is' : 'are'} 0` : ''}.`),
      rows.length ? tableOf(name, ['coordinate', 'value'], rows.map((row) => [row.name, figure(row.value, 6)])) : null);
  }
  if (isSplits(value)) {
    return h('section.part', {}, title, h('p.note', {}, `${count(Object.keys(value).length, 'pair')}: shares of its demand by path.`),
      tableOf(name, ['pair', 'path', 'share'], splitRows(value), 2));
  }
  if (isObject(value) && Object.values(value).every((each) => typeof each === 'number')) {
    const rows = largestFirst(Object.values(value) as number[], Object.keys(value));
    return h('section.part', {}, title, tableOf(name, ['coordinate', 'value'], rows.map((row) => [row.name, figure(row.value, 6)])));
  }
  return null;
}

/** Vectors and splits as tables, the rest as facts. */
export function decisionPanel(decision: unknown, turn: number): HTMLElement | null {
  if (!isObject(decision) && !isNumbers(decision)) return null;
  const members = isObject(decision) ? Object.entries(decision) : [['decision', decision] as [string, unknown]];
  const features = isObject(decision) ? decision['features'] : null;
  const names = Array.isArray(features) ? features.map(String) : [];
  const facts: HTMLElement[] = [];
  const tables = members.map(([name, value]) => {
    const table = member(name, value, names);
    if (!table && value !== null && value !== features && (!Array.isArray(value) || value.length)) facts.push(h('div', {}, h('dt', {}, name), h('dd', {}, short(value))));
    return table;
  });
  return panel('decision', 'Decision', `As of turn ${figure(turn, 15)}.`, facts.length ? h('dl.settings', {}, ...facts) : null, ...tables);
}
