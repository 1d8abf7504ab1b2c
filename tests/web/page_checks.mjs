// What has to hold for the report page in a browser, for any data.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

/** The data as the file has them, read without the page's own code. */
export function dataOf(html) {
  const mark = 'id="proxstream-data">';
  const begin = html.indexOf(mark) + mark.length;
  return JSON.parse(html.slice(begin, html.indexOf('</script>', begin)));
}

/** Says "ok" or "not ok" of each check, as scripts/test.sh wants. */
export const checker = (prefix) => async (name, action) => {
  try {
    await action();
    console.log(`ok ${prefix}${name}`);
  } catch (error) {
    console.log(`not ok ${prefix}${name}\n${String(error.stack ?? error).slice(0, 1500).replace(/^/gm, '# ')}`);
    process.exitCode = 1;
  }
};

export const slider = (page) => page.run(() => Number(document.querySelector('#period').value));

/** Moves a slider, by default that of the bar of time, to a place. */
export const goTo = (page, place, selector = '#period') => page.run((p, s) => {
  const input = document.querySelector(s);
  input.value = p;
  input.dispatchEvent(new Event('input'));
}, place, selector).then(() => page.settle());

/** Writes the page of `source` with other data in it to `path`. */
export function variant(source, path, change) {
  const html = readFileSync(source, 'utf8');
  const other = dataOf(html);
  change(other);
  const text = JSON.stringify(other).replace(/</g, '\\u003c');
  writeFileSync(path, html.replace(/(id="proxstream-data">)[\s\S]*?(<\/script>)/, (_, begin, end) => begin + text + end));
  return path;
}

export function load(data, period, link) {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const frame = data.frames.periods.filter((p) => p <= period).length - 1;
  const at = 2 * (frame * data.network.links.name.length + link);
  return digits.indexOf(data.frames.permille[at]) * 64 + digits.indexOf(data.frames.permille[at + 1]);
}

/** The number a text begins with, as people would read it. */
export function numberIn(text) {
  const found = /[-\u2212]?[\d,]*\.?\d+(e[\u2212-]?\d+)?/.exec(text);
  return found ? Number(found[0].replace(/,/g, '').replace(/\u2212/g, '-')) : NaN;
}

/** Equal as far as the text goes: within half a unit of its last digit. */
export function assertShown(text, value, what) {
  if (value === null || value === undefined) return assert.equal(text, '\u2013', what);
  const decimals = /\.(\d+)/.exec(text)?.[1].length ?? 0;
  const exact = text.includes('e') ? Math.abs(value) * 6e-3 : 0.50001 * 10 ** -decimals;
  assert.ok(Math.abs(numberIn(text) - value) <= exact, `${what}: '${text}' for ${value}`);
}

/** The turns that the loss chart takes for the newest ones, and the mean of those up to a turn. */
export const newest = (turns) => Math.max(1, Math.min(1000, Math.ceil(turns / 10)));
export function meanOf(turn, width, figure) {
  const first = Math.max(1, turn - width + 1);
  const known = Array.from({ length: turn - first + 1 }, (_, i) => figure(first + i)).filter((value) => typeof value === 'number');
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

export async function checkQuiet(page) {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.requests.filter((url) => !url.startsWith('data:') && url !== page.requests[0]), []);
  assert.match(page.requests[0], /^file:/);
}

/** Every figure of the bar, the legends and the list of links, against the data. */
export async function checkShown(page, data, period) {
  const shown = await page.run(() => ({
    label: document.querySelector('#now').title,
    said: document.querySelector('#now').textContent,
    readings: Object.fromEntries([...document.querySelectorAll('.readings output')].map((o) => [o.id, o.textContent])),
    legends: Object.fromEntries([...document.querySelectorAll('.chart')].map((chart) => [
      chart.id, [...chart.querySelectorAll('.chart-legend .value')].map((value) => value.textContent)])),
    busiest: [...document.querySelectorAll('.busiest li')].map((li) => [li.querySelector('.name').textContent, li.querySelector('.load').textContent]),
    cursors: [...document.querySelectorAll('.chart-cursor')].map((cursor) => {
      const over = cursor.parentElement.getBoundingClientRect();
      const box = cursor.getBoundingClientRect();
      return [(box.left + box.right) / 2 - over.left, over.width];
    }),
  }));
  const { primary } = data;
  assert.equal(shown.label, data.periods.labels[period]);
  const time = /\d\d:\d\d/.exec(shown.label)?.[0] ?? shown.label;
  assert.ok(shown.said.endsWith(time), `'${shown.said}' for '${shown.label}'`);
  assertShown(shown.readings['now-demand'], primary.demand[period], 'demand');
  assertShown(shown.readings['now-cost'], primary.cost[period], 'cost');
  assertShown(shown.readings['now-load'], primary.utilisation_max[period] * 100, 'largest load');
  assertShown(shown.readings['now-churn'], primary.churn[period], 'churn');
  const active = data.alarms.filter((a) => a.period <= period && (a.cleared === null || period < a.cleared)).length;
  assert.equal(shown.readings['now-alarms'], String(active));
  const legend = { 'chart-load': ['utilisation_max', 'utilisation_p95', 'utilisation_mean', 'utilisation_median'], 'chart-steps': ['steps'], 'chart-regret': ['regret', 'regret_bound'] };
  for (const [id, names] of Object.entries(legend)) {
    const known = names.filter((name) => primary[name].some((v) => v !== null && (id !== 'chart-regret' || v > 0)));
    known.forEach((name, i) => {
      const value = primary[name][period];
      const drawn = id === 'chart-regret' && !(value > 0) ? null : value;
      assertShown(shown.legends[id][i], id === 'chart-load' && drawn !== null ? drawn * 100 : drawn, name);
    });
  }
  if (data.frames.periods.length > 0) {
    const { name } = data.network.links;
    const largest = Math.max(...name.map((_, link) => load(data, period, link)));
    const link = name.findIndex((n, i) => n === shown.busiest[0][0] && load(data, period, i) === largest);
    assert.ok(link >= 0, `'${shown.busiest[0][0]}' is not the busiest link`);
    if (shown.busiest[0][1] !== 'closed') assertShown(shown.busiest[0][1], largest / 10, 'the busiest load');
  }
  assert.ok(shown.cursors.length > 0);
  for (const [x, width] of shown.cursors) {
    const wanted = (period / Math.max(1, data.periods.labels.length - 1)) * width;
    assert.ok(Math.abs(x - wanted) <= 1, `a chart's cursor is at ${x}, not at ${wanted}`);
  }
}

/** Text against what lies behind it, WCAG AA; returns what is too faint. */
export function faintTexts(page) {
  return page.run(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const ground = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = rgba(getComputedStyle(at).backgroundColor);
        if (colour[3] > 0.99) return colour;
      }
      return [255, 255, 255, 1];
    };
    const faint = [];
    let seen = 0;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || element.closest('script, style, noscript, button:disabled') || !element.checkVisibility()) continue;
      ++seen;
      const style = getComputedStyle(element);
      const [a, b] = [luminance(rgba(style.color)), luminance(ground(element))].sort((p, q) => p - q);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const contrast = (b + 0.05) / (a + 0.05);
      if (contrast < (large ? 3 : 4.5)) faint.push(`${contrast.toFixed(2)} ${node.textContent.trim().slice(0, 30)}`);
    }
    return { faint, seen };
  });
}

/** Elements that stick out of the page to the right, where nothing cuts them off. */
export function stickingOut(page) {
  return page.run(() => {
    const width = document.documentElement.clientWidth;
    const found = document.scrollingElement.scrollWidth > width ? [`the page is ${document.scrollingElement.scrollWidth} wide`] : [];
    for (const element of document.querySelectorAll('#app *')) {
      if (!element.checkVisibility() || element.closest('.chart-frame, .map-frame, .methods thead')) continue;
      if (element.getBoundingClientRect().right > width + 0.5) found.push(`${element.tagName} ${element.className} ${element.textContent.slice(0, 20)}`);
    }
    return found;
  });
}

/** Controls and pictures without a name for those who do not see them. */
export async function nameless(page) {
  const { nodes } = await page.send('Accessibility.getFullAXTree');
  const roles = ['button', 'slider', 'image', 'img', 'link', 'combobox', 'table', 'region'];
  return nodes
    .filter((node) => !node.ignored && roles.includes(node.role?.value) && !node.name?.value)
    .filter((node) => !['table'].includes(node.role.value))
    .map((node) => `${node.role.value} ${JSON.stringify(node.properties ?? []).slice(0, 80)}`);
}
