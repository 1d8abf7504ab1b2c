// The table of methods. On a phone it becomes cards, and a list takes the place of the clickable heads.
import type { Method, ReportData } from './data';
import { h, panel } from './dom';
import { figure, percent, seconds } from './format';
import { inOrder, sortMethods } from './sort';

interface Column {
  key: keyof Method;
  title: string;
  help: string;
  text: (method: Method) => string;
}

const columns: Column[] = [
  { key: 'label', title: 'Method', help: 'What decided the splits', text: (m) => m.label || m.name },
  { key: 'total_cost', title: 'Total cost', help: 'Realised, summed over all periods', text: (m) => figure(m.total_cost, 6) },
  { key: 'ratio', title: '\u00d7 lower bound', help: 'Over the cost of the clairvoyant', text: (m) => m.ratio === null ? '\u2013' : m.ratio.toFixed(4) },
  { key: 'churn', title: 'Churn', help: 'Demand moved to other paths, a period', text: (m) => figure(m.churn, 3) },
  { key: 'overload_share', title: 'Overload', help: 'Share of links and periods above capacity', text: (m) => percent(m.overload_share, 2) },
  { key: 'utilisation_max', title: 'Max load', help: 'Largest utilisation of any link in any period', text: (m) => percent(m.utilisation_max) },
  { key: 'utilisation_p95', title: 'p95 load', help: '95th percentile of utilisation', text: (m) => percent(m.utilisation_p95) },
  { key: 'gradients', title: 'Gradients', help: 'Record gradients a period: the work', text: (m) => figure(m.gradients, 3) },
  { key: 'seconds', title: 'Time', help: 'Of the whole run', text: (m) => seconds(m.seconds) },
];

export function methodsPanel(data: ReportData): HTMLElement | null {
  if (data.methods.length === 0) return null;
  const ratios = data.methods.map((method) => method.ratio ?? 1);
  const most = Math.max(...ratios) - 1;
  const body = h('tbody');
  const heads = columns.map((column) => h('th', { scope: 'col' },
    h('button', { type: 'button', title: column.help, click: () => choose(column.key) }, column.title)));
  const select = h('select', { 'aria-label': 'Sort by', change: () => choose(select.value as keyof Method, false) },
    ...columns.map((column) => h('option', { value: column.key }, column.title)));

  const row = (method: Method): HTMLElement => h('tr', { class: method.isPrimary ? 'primary' : method.isLowerBound ? 'lower-bound' : '' },
    ...columns.map((column, i) => {
      if (i === 0) {
        const role = method.isPrimary ? 'primary' : method.isLowerBound ? 'lower bound' : '';
        return h('th', { scope: 'row' }, h('span.label', {}, column.text(method)), role ? h('span.role', {}, role) : null,
          method.label && method.label !== method.name ? h('code', {}, method.name) : null);
      }
      const share = column.key === 'ratio' && method.ratio !== null && most > 0 ? (method.ratio - 1) / most : null;
      return h('td', { 'data-title': column.title, 'data-key': column.key },
        share === null ? null : h('span.meter', { 'aria-hidden': 'true', style: `--share:${Math.max(0, share)}` }),
        h('span', {}, column.text(method)));
    }));

  let by: keyof Method | null = null;
  let descending = false;
  function choose(key: keyof Method, turn = true): void {
    descending = turn && by === key ? !descending : false;
    by = key;
    select.value = key;
    columns.forEach((column, i) => {
      if (column.key === key) heads[i]!.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      else heads[i]!.removeAttribute('aria-sort');
    });
    body.replaceChildren(...sortMethods(data.methods, key, descending).map(row));
  }
  body.replaceChildren(...inOrder(data.methods).map(row));
  return panel('methods', 'Methods', 'Same periods for all; every split was chosen before its demand was known, except the lower bound\u2019s.',
    h('label.sort-by', {}, 'Sort by ', select),
    h('table.methods', {}, h('thead', {}, h('tr', {}, ...heads)), body));
}
