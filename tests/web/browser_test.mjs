// The report page in a real browser. A line a check: "ok NAME" or "not ok NAME", as scripts/test.sh wants.
//   node browser_test.mjs CHROMIUM SHOTS FIXTURE.html [OTHER.html ..]
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Browser } from './browser.mjs';
import {
  checker, checkQuiet, checkShown, dataOf, faintTexts, goTo, load, nameless, numberIn, slider, stickingOut, variant as writeVariant,
} from './page_checks.mjs';

const [program, shots, fixture, ...others] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const data = dataOf(readFileSync(fixture, 'utf8'));
const last = data.periods.labels.length - 1;
const dark = { 'prefers-color-scheme': 'dark' };
const browser = new Browser(program);

const check = checker('web ');
const picture = (page) => page.run(() => document.querySelector('canvas.map').toDataURL());

/** The same page with other data in it. */
const variant = (name, change) => writeVariant(fixture, join(shots, `${name}.html`), change);

const page = await browser.open(fixture);
await check('loads without a complaint and asks nothing of any network', () => checkQuiet(page));
await check('opens at the busiest period', async () => {
  const loads = data.primary.utilisation_max;
  assert.equal(await slider(page), loads.indexOf(Math.max(...loads)));
});
await check('what is on the screen equals the data, wherever the slider stands', async () => {
  for (const period of [0, 1, 33, 128, 130, 141, 166, 311, last]) {
    await goTo(page, period);
    await checkShown(page, data, period);
  }
});
await check('keys move the slider', async () => {
  await page.run(() => document.querySelector('#period').focus());
  for (const [key, wanted] of [['Home', 0], ['ArrowRight', 1], ['ArrowRight', 2], ['ArrowLeft', 1], ['End', last]]) {
    await page.press(key);
    assert.equal(await slider(page), wanted, key);
    await checkShown(page, data, wanted);
  }
  assert.equal(await page.run(() => document.querySelector('#period').getAttribute('aria-valuetext')), data.periods.labels[last]);
});
await check('a click on a chart moves the page there', async () => {
  await page.click('#chart-load .u-over');
  assert.ok(Math.abs((await slider(page)) - last / 2) <= 2);
});
await check('the map shows another picture for another load', async () => {
  await goTo(page, 10);
  const night = await picture(page);
  await goTo(page, 32);
  assert.notEqual(await picture(page), night);
  await goTo(page, 10);
  assert.equal(await picture(page), night);
});
await check('pointing at a link tells its name, load and capacity', async () => {
  await goTo(page, 454);
  const box = await page.run(() => {
    document.querySelector('canvas.map').scrollIntoView({ block: 'center', behavior: 'instant' });
    const { left, top, width, height } = document.querySelector('canvas.map').getBoundingClientRect();
    return { left, top, width, height };
  });
  const seen = new Set();
  for (let i = 1; i < 12; ++i) {
    await page.mouse('mouseMoved', box.left + (box.width * i) / 12, box.top + box.height * (0.3 + 0.03 * i));
    await page.settle();
    const tip = await page.run(() => {
      const element = document.querySelector('.tip');
      return element.hidden ? null : { name: element.querySelector('strong').textContent, values: [...element.querySelectorAll('dd')].map((d) => d.textContent) };
    });
    if (!tip) continue;
    const link = data.network.links.name.indexOf(tip.name);
    assert.ok(link >= 0, tip.name);
    assert.equal(numberIn(tip.values[0]), load(data, 454, link) / 10);
    assert.equal(numberIn(tip.values[2]), data.events.filter((e) => e.link === link && e.capacity !== null).at(-1)?.capacity ?? data.network.links.capacity[link]);
    seen.add(tip.name);
  }
  assert.ok(seen.size >= 3, `only ${seen.size} links were found`);
});
await check('the map zooms with keys and comes back', async () => {
  const all = await picture(page);
  await page.run(() => document.querySelector('canvas.map').focus());
  await page.press('+');
  const near = await picture(page);
  assert.notEqual(near, all);
  await page.press('ArrowLeft');
  assert.notEqual(await picture(page), near);
  await page.press('0');
  await page.mouse('mouseMoved', 5, 5);
  await page.settle();
  assert.equal(await page.run(() => document.querySelector('.map-tools button:last-child').disabled), true);
});
await check('play runs and stops', async () => {
  await goTo(page, 100);
  await page.click('.play');
  await new Promise((resolve) => setTimeout(resolve, 600));
  await page.click('.play');
  const stopped = await slider(page);
  assert.ok(stopped > 101, String(stopped));
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(await slider(page), stopped);
});
await check('an alarm and an event lead to their period', async () => {
  const all = [...data.alarms, ...data.events].sort((a, b) => a.period - b.period);
  for (const i of [0, 3]) {
    await page.click(`.log li:nth-child(${i + 1}) button`);
    assert.equal(await slider(page), all[i].period);
  }
  assert.equal(await page.run(() => document.querySelectorAll('.log .now').length > 0), true);
});
await check('the table of methods sorts both ways and holds the data', async () => {
  const column = () => page.run(() => [...document.querySelectorAll('.methods tbody tr')].map((row) => row.querySelector('[data-key=total_cost]').textContent));
  const costs = data.methods.map((m) => m.total_cost).sort((a, b) => a - b);
  await page.click('.methods thead th:nth-child(2) button');
  const ascending = await column();
  ascending.forEach((text, i) => assert.ok(Math.abs(numberIn(text) - costs[i]) < 1, text));
  assert.equal(await page.run(() => document.querySelector('.methods th:nth-child(2)').getAttribute('aria-sort')), 'ascending');
  await page.click('.methods thead th:nth-child(2) button');
  assert.deepEqual(await column(), ascending.reverse());
  assert.equal(await page.run(() => document.querySelectorAll('[aria-sort]').length), 1);
});
await check('a legend switches its line off and on', async () => {
  const drawn = () => page.run(() => document.querySelector('#chart-cost canvas').toDataURL());
  const before = await drawn();
  await page.click('#chart-cost .chart-legend li:nth-child(2) button');
  assert.notEqual(await drawn(), before);
  assert.equal(await page.run(() => document.querySelector('#chart-cost .chart-legend li:nth-child(2) button').getAttribute('aria-pressed')), 'false');
  await page.click('#chart-cost .chart-legend li:nth-child(2) button');
});
await check('costs stand above the lower bound, and period by period', async () => {
  await goTo(page, 200);
  const value = () => page.text('#chart-cost .chart-legend li:first-child .value');
  const primary = data.methods.find((m) => m.isPrimary);
  const lowerBound = data.methods.find((m) => m.isLowerBound);
  const sum = (m) => m.cost.slice(0, 201).reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(numberIn(await value()) / (sum(primary) - sum(lowerBound)) - 1) < 1e-3);
  await page.click('#chart-cost .choice button:last-child');
  assert.ok(Math.abs(numberIn(await value()) / primary.cost[200] - 1) < 1e-3);
  await page.click('#chart-cost .choice button:first-child');
});
await check('every claim stands with its verdict, and the command is there to copy', async () => {
  const claims = await page.run(() => [...document.querySelectorAll('.claim')].map((c) => [c.querySelector('b').textContent, c.querySelector('.verdict').lastChild.textContent]));
  assert.deepEqual(new Map(claims), new Map(data.certificate.claims.map((c) => [c.id, c.verdict])));
  assert.equal(await page.text('.command code'), data.command);
  await page.click('.copy');
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(await page.text('.said'), 'copied');
});
await check('sums say whether they agree', async () => {
  assert.deepEqual(await page.run(() => [...document.querySelectorAll('.sums tbody tr')].map((row) => row.className)), data.sums.map(() => 'good'));
});
await check('everything has a name for those who listen', async () => assert.deepEqual(await nameless(page), []));
await check('whatever has the focus shows it', async () => {
  await page.run(() => document.activeElement.blur());
  const unseen = [];
  for (let i = 0; i < 40; ++i) {
    await page.press('Tab');
    const [what, outline] = await page.run(() => {
      const at = document.activeElement;
      return [`${at.tagName}.${at.className}`, at === document.body ? 'body' : getComputedStyle(at).outlineStyle];
    });
    if (outline === 'none') unseen.push(what);
  }
  assert.deepEqual(unseen, []);
});
await check('light: text is plain to read', async () => {
  const { faint, seen } = await faintTexts(page);
  assert.ok(seen > 150, `${seen} texts`);
  assert.deepEqual(faint, []);
});
await check('nothing went wrong in all this', () => checkQuiet(page));
await goTo(page, 454);
await page.run(() => window.scrollTo(0, 0));
await page.screenshot(join(shots, 'light.png'));

await check('dark: the ground is dark and text is plain to read', async () => {
  const night = await picture(page);
  await page.media(dark);
  await page.settle();
  const ground = await page.run(() => getComputedStyle(document.body).backgroundColor);
  assert.ok(Math.max(...ground.match(/\d+/g).map(Number)) < 40, ground);
  assert.notEqual(await picture(page), night, 'the map follows at once');
  assert.deepEqual((await faintTexts(page)).faint, []);
});
await page.screenshot(join(shots, 'dark.png'));
await check('paper is light even then', async () => {
  const { data: pdf } = await page.send('Page.printToPDF', { printBackground: true });
  assert.ok(pdf.length > 20_000);
  writeFileSync(join(shots, 'print.pdf'), Buffer.from(pdf, 'base64'));
  await page.media(dark, 'print');
  assert.equal(await page.run(() => getComputedStyle(document.documentElement).getPropertyValue('--panel').trim()), '#ffffff');
});
await check('nothing sticks out at any width, nor on paper', async () => {
  const found = [];
  for (const [width, media] of [[320, ''], [768, ''], [834, ''], [920, ''], [1024, ''], [1100, ''], [1280, ''], [1920, ''], [718, 'print']]) {
    await page.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false });
    await page.media({}, media);
    await page.settle();
    found.push(...(await stickingOut(page)).map((what) => `${width} ${media}: ${what}`));
  }
  assert.deepEqual(found, []);
});
await page.close();

const phone = await browser.open(fixture, { width: 360, height: 740, mobile: true });
await check('a phone needs no scrolling sideways', async () => assert.deepEqual(await stickingOut(phone), []));
await check('a phone shows the same values, and has room for fingers', async () => {
  await goTo(phone, 33);
  await checkShown(phone, data, 33);
  const cramped = await phone.run(() => [...document.querySelectorAll('button')].filter((b) => b.checkVisibility() && !b.closest('thead') && b.getBoundingClientRect().height < 24).map((b) => `${b.className} ${b.textContent} ${b.getBoundingClientRect().height}`));
  assert.deepEqual(cramped, []);
});
await check('a phone sorts methods by a list', async () => {
  await phone.run(() => {
    const select = document.querySelector('.sort-by select');
    select.value = 'seconds';
    select.dispatchEvent(new Event('change'));
  });
  const first = await phone.text('.methods tbody tr .label');
  const least = Math.min(...data.methods.map((m) => m.seconds));
  assert.equal(data.methods.find((m) => m.label === first).seconds, least);
});
await phone.run(() => window.scrollTo(0, 0));
await goTo(phone, 454);
await phone.screenshot(join(shots, 'phone.png'));
await phone.screenshot(join(shots, 'phone-whole.png'), true);
await phone.close();

await check('less motion: play goes step by step', async () => {
  const calm = await browser.open(fixture, { features: { 'prefers-reduced-motion': 'reduce' } });
  await goTo(calm, 100);
  await calm.click('.play');
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(await slider(calm), 100);
  await calm.close();
});
await check('text from files stays text', async () => {
  const evil = '<img src=x onerror="document.title=1"></script><script>throw 1</script>\u2028';
  const path = variant('evil', (other) => {
    other.title = other.command = other.certificate.conclusion = evil;
    other.network.links.name[0] = other.alarms[0].text = other.methods[0].label = other.kpis[0].value = evil;
  });
  const other = await browser.open(path);
  await checkQuiet(other);
  assert.equal(await other.text('h1'), evil);
  await other.close();
});
await check('a report of nothing opens all the same', async () => {
  const path = variant('empty', (other) => {
    other.methods = other.alarms = other.events = other.kpis = other.sums = other.settings = other.frames.periods = other.periods.labels = [];
    other.frames.permille = other.command = other.certificate.conclusion = '';
    other.certificate.claims = [];
    for (const name of Object.keys(other.primary)) other.primary[name] = [];
  });
  const other = await browser.open(path);
  await checkQuiet(other);
  await other.close();
});
await check('a report of one period, with much unknown, opens too', async () => {
  const path = variant('single', (other) => {
    other.periods.labels = ['1'];
    other.periods.minutes = 0;
    for (const name of Object.keys(other.primary)) other.primary[name] = name === 'cost' ? [null] : [];
    for (const method of other.methods) Object.assign(method, { cost: [], ratio: null, churn: null });
    other.frames = { periods: [0], permille: other.frames.permille.slice(0, 2 * other.network.links.name.length) };
    other.alarms = other.events = [];
  });
  const other = await browser.open(path);
  await checkQuiet(other);
  assert.equal(await other.text('#now'), '1');
  assert.equal(await other.text('#now-cost'), '\u2013');
  await other.close();
});
await check('a city of 3,000 links and 700 frames moves without waiting', async () => {
  const path = variant('large', (other) => {
    const side = 28; // 28 x 28 nodes, both ways: 3,024 links
    const { nodes, links } = other.network;
    for (const column of [nodes.name, nodes.x, nodes.y, links.name, links.from, links.to, links.capacity]) column.length = 0;
    for (let i = 0; i < side * side; ++i) nodes.name.push(`n${i}`), nodes.x.push(i % side), nodes.y.push(Math.floor(i / side));
    for (let i = 0; i < side * side; ++i) {
      for (const j of [i % side < side - 1 ? i + 1 : -1, i + side < side * side ? i + side : -1]) {
        if (j < 0) continue;
        for (const [a, b] of [[i, j], [j, i]]) links.name.push(`n${a}-n${b}`), links.from.push(a), links.to.push(b), links.capacity.push(1000 + ((a * 7 + b) % 13) * 100);
      }
    }
    const periods = 700;
    other.frames.periods = Array.from({ length: periods }, (_, i) => i);
    const digits = 'ABCDEFGHIJKLMNOP';
    const frame = (t) => links.name.map((_, l) => digits[(l * 13 + t) % 16] + digits[(l + t) % 16]).join('');
    other.frames.permille = other.frames.periods.map(frame).join('');
    other.periods.labels = other.frames.periods.map((i) => `d${Math.floor(i / 96)} ${i % 96}`);
    for (const name of Object.keys(other.primary)) other.primary[name] = other.frames.periods.map((i) => 0.5 + 0.4 * Math.sin(i / 9));
    for (const method of other.methods) method.cost = other.frames.periods.map(() => 1);
    other.alarms = other.events = [];
  });
  const other = await browser.open(path);
  await checkQuiet(other);
  const each = await other.run(async () => {
    const input = document.querySelector('#period');
    const began = performance.now();
    for (let i = 0; i < 20; ++i) {
      input.value = i;
      input.dispatchEvent(new Event('input'));
      await new Promise((done) => requestAnimationFrame(done));
    }
    return (performance.now() - began) / 20;
  });
  console.log(`# 3,024 links: ${each.toFixed(1)} ms a period`);
  assert.ok(each < 250, `${each} ms a period`);
  await other.screenshot(join(shots, 'large.png'));
  await other.close();
});
for (const path of others) {
  await check(`${basename(path)} of a real run shows its data`, async () => {
    const run = dataOf(readFileSync(path, 'utf8'));
    const other = await browser.open(path);
    await checkQuiet(other);
    for (const share of [0, 0.3, 0.77, 1]) {
      const period = Math.round(share * (run.periods.labels.length - 1));
      await goTo(other, period);
      await checkShown(other, run, period);
    }
    assert.deepEqual(await nameless(other), []);
    await other.screenshot(join(shots, `${basename(path, '.html')}.png`));
    await other.close();
    for (const width of [360, 834, 1024]) {
      const small = await browser.open(path, { width, height: 740, mobile: true });
      assert.deepEqual(await stickingOut(small), []);
      await small.close();
    }
  });
}
await browser.close();
