// The certificate of the run, sums that have to agree, and the command to run it again.
import type { Claim, ReportData } from './data';
import { h, panel } from './dom';
import { count, figure } from './format';

/** A sign beside the word, for quick reading and without colour vision. */
export function verdictSign(verdict: string): { sign: string; kind: 'good' | 'bad' | 'open' } {
  if (verdict === 'holds' || verdict === 'holds up to rounding') return { sign: '\u2713', kind: 'good' };
  if (verdict === 'violated' || verdict === 'missed') return { sign: '\u2717', kind: 'bad' };
  return { sign: '\u25cb', kind: 'open' };
}

function claimRow(claim: Claim): HTMLElement {
  const { sign, kind } = verdictSign(claim.verdict);
  const side = (value: Claim['left']): string => (typeof value === 'string' ? value : figure(value, 5));
  const known = (value: Claim['left']): boolean => value !== null && value !== '';
  const sides = known(claim.left) && known(claim.right) && kind !== 'open';
  return h('li', { class: `claim ${kind}` },
    h('span.verdict', {}, h('i', { 'aria-hidden': 'true' }, sign), claim.verdict),
    h('div.claim-text', {},
      h('p', {}, h('b', {}, claim.id), ' ', claim.statement),
      sides ? h('p.sides', {}, h('span', {}, side(claim.left)), ' against ', h('span', {}, side(claim.right))) : null,
      claim.explanation ? h('p.note', {}, claim.explanation) : null));
}

/** Claims of one kind, folded away behind their number. */
function folded(summary: string, claims: Claim[]): HTMLElement {
  return h('details', {}, h('summary', {}, summary), h('ul.claims', {}, ...claims.map(claimRow)));
}

/** `parts`: claims about one part of the run, by its name. */
export function certificatePanel({ conclusion, claims }: ReportData['certificate'], parts: { name: string; claims: Claim[] }[] = [], note = ''): HTMLElement | null {
  if (!conclusion && claims.length === 0 && parts.length === 0) return null;
  // Claims that were not promised come last, folded away.
  const open = claims.filter((claim) => verdictSign(claim.verdict).kind === 'open');
  const decided = claims.filter((claim) => !open.includes(claim));
  return panel('certificate', 'Certificate', note,
    conclusion ? h('p.conclusion', {}, conclusion) : null,
    decided.length ? h('ul.claims', {}, ...decided.map(claimRow)) : null,
    ...parts.map((part) => folded(`${part.name}: ${count(part.claims.length, 'claim holds', 'claims hold')}`, part.claims)),
    open.length ? folded(`${open.length} not decided by this run`, open) : null);
}

export function sumsPanel(data: ReportData): HTMLElement | null {
  if (data.sums.length === 0) return null;
  const row = ({ name, total, parts }: ReportData['sums'][number]): HTMLElement => {
    const apart = total === null || parts === null ? NaN : Math.abs(total - parts) / Math.max(Math.abs(total), Math.abs(parts), Number.MIN_VALUE);
    const agree = apart <= 1e-9;
    return h('tr', { class: agree ? 'good' : 'bad' }, h('th', { scope: 'row' }, name),
      h('td', {}, figure(total, 10)), h('td', {}, figure(parts, 10)),
      h('td', {}, h('i', { 'aria-hidden': 'true' }, agree ? '\u2713' : '\u2717'), agree ? ' agree' : ` apart by ${figure(apart, 2)}`));
  };
  return panel('sums', 'Sums', 'Each total against the sum of its parts.',
    h('table.sums', {}, h('thead', {}, h('tr', {}, ...['', 'total', 'parts', ''].map((text) => h('th', { scope: 'col' }, text)))),
      h('tbody', {}, ...data.sums.map(row))));
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages from disk may be refused the clipboard; the old way needs a selection.
    const area = h('textarea', { 'aria-hidden': 'true', class: 'off-screen' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** `rest`: heading of the settings that are folded away. */
export function settingsPanel(data: Pick<ReportData, 'command' | 'settings'>, rest = 'left at their defaults'): HTMLElement {
  const said = h('span.said', { role: 'status' });
  const button = h('button.copy', {
    type: 'button',
    click: () => void copy(data.command).then((done) => {
      said.textContent = done ? 'copied' : 'could not copy; please select it';
      window.setTimeout(() => (said.textContent = ''), 3000);
    }),
  }, 'Copy');
  const rows = (isDefault: boolean): HTMLElement[] => data.settings.filter((setting) => setting.isDefault === isDefault)
    .map(({ name, value }) => h('div', {}, h('dt', {}, name), h('dd', {}, value)));
  const defaults = rows(true);
  return panel('settings', 'Settings', '',
    data.command ? h('div.command', {}, h('pre', { tabindex: 0, 'aria-label': 'Command to run this again' }, h('code', {}, data.command)), h('div', {}, button, said)) : null,
    h('dl.settings', {}, ...rows(false)),
    defaults.length ? h('details', {}, h('summary', {}, `${defaults.length} ${rest}`), h('dl.settings', {}, ...defaults)) : null);
}
