// The head of a report: its subject, whether the certificate is sound, and the key figures.
import type { Claim } from './data';
import { h } from './dom';
import { verdictSign } from './findings';
import { count } from './format';

export interface Kpi { name: string; value: string; help: string }

/** `sound` false: something is wrong even if no claim shows it. */
export function masthead(title: string, version: string, facts: string[], claims: Claim[], sound = true): HTMLElement {
  const kinds = claims.map((claim) => verdictSign(claim.verdict).kind);
  const bad = kinds.filter((kind) => kind === 'bad').length;
  const good = kinds.filter((kind) => kind === 'good').length;
  const [kind, sign, text] = bad > 0 ? ['bad', '\u2717', count(bad, 'claim fails', 'claims fail')]
    : !sound ? ['bad', '\u2717', 'not sound']
      : good > 0 ? ['good', '\u2713', count(good, 'claim holds', 'claims hold')]
        : ['open', '\u25cb', 'nothing was promised'];
  const proof = kinds.length === 0 ? null
    : h('a.proof', { href: '#certificate', class: `proof ${kind}` }, h('i', { 'aria-hidden': 'true' }, sign), `certificate: ${text}`);
  return h('header.masthead', {},
    h('p.maker', {}, `proxstream${version ? ` ${version}` : ''}`),
    h('h1', {}, title),
    h('p.facts', {}, facts.filter(Boolean).join(' \u00b7 ')),
    proof);
}

export function kpiStrip(kpis: Kpi[]): HTMLElement | null {
  if (kpis.length === 0) return null;
  return h('section.kpis', { 'aria-label': 'Key figures' }, h('dl', {}, ...kpis.map(({ name, value, help }) =>
    h('div.kpi', {}, h('dt', {}, name), h('dd', {}, value), help ? h('dd.help', {}, help) : null))));
}
