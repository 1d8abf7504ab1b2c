// The live page of the real service: posts, a restart, a kill, forks, a closed link.
//   node serve_test.mjs CHROMIUM SHOTS PROXSTREAM
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from './browser.mjs';
import { assertShown, checker, dataOf, faintTexts, goTo, meanOf, nameless, newest, stickingOut } from './page_checks.mjs';
import { Service, wait } from './service.mjs';

const [program, shots, proxstream] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const check = checker('web serve: ');
const folder = mkdtempSync(join(tmpdir(), 'proxstream-serve-'));
const links = ['from,to,capacity,free_time,b,power', 'A,B,10,1,0.15,4', 'B,D,9,1,0.15,4', 'A,C,8,1.2,0.15,4', 'C,D,7,1.2,0.15,4', 'B,C,5,0.5,0.15,4', 'D,A,9,1,0.15,4'];
writeFileSync(join(folder, 'links.csv'), `${links.join('\n')}\n`);
writeFileSync(join(folder, 'learners.toml'), `
[learner.rows]
kind = "learn"
features = ["first", "second", "third"]
label = "y"
loss = "cauchy"
reg = "l1:0.01"
window = "32"
step = "0.5"

[learner.roads]
kind = "route"
network = "${join(folder, 'links.csv')}"
window = "4"
`);

let seed = 7;
const draw = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648) - 0.5;
const losses = new Map(); // by turn, as the service answered
async function postRows(count) {
  for (let left = count; left > 0; left -= 25) {
    const batch = Array.from({ length: Math.min(25, left) }, () => {
      const x = [draw(), draw(), draw()];
      return { record: { x, y: 2 * x[0] - x[2] + 0.1 * draw() } };
    });
    const { rounds } = await service.ask('POST', '/v1/learners/rows/rounds', { batch });
    for (const round of rounds) losses.set(round.turn, round.figures.loss ?? null);
  }
}

async function until(page, action, wanted, ...args) {
  let seen;
  for (let tries = 0; tries < 150; ++tries) {
    seen = await page.run(action, ...args);
    if (wanted(seen)) return seen;
    await wait(100);
  }
  throw new Error(`waited in vain; last seen: ${JSON.stringify(seen)}`);
}
const untilTurn = (page, turn) => until(page, () => document.querySelector('.status .pace').textContent, (text) => text.split(' \u00b7 ')[0] === `turn ${turn.toLocaleString('en')}`);
const untilLine = (page, wanted) => until(page, () => document.querySelector('.status .line').textContent, (text) => wanted.test(text));
async function openLive(name, options) {
  const page = await browser.open('/dev/null', options);
  await page.navigate(`http://127.0.0.1:${service.port}/learners/${name}`);
  await page.run(() => (window.notReloaded = true));
  await untilLine(page, /^live/);
  return page;
}
const legend = (page, chart) => page.run((id) => Object.fromEntries([...document.querySelectorAll(`#${id} .chart-legend button`)].map((b) => [b.querySelector('.name').textContent, b.querySelector('.value').textContent])), chart);
/** Every turn once, with the loss that was answered for it. */
async function checkTurns(page, turns, at) {
  assert.equal(await page.run(() => Number(document.querySelector('#period').max) + 1), turns);
  for (const turn of at) {
    await goTo(page, turn - 1);
    assertShown((await legend(page, 'chart-loss'))['newest turns'], meanOf(turn, newest(turns), (each) => losses.get(each)), `turn ${turn}`);
  }
  await goTo(page, turns - 1);
  assert.equal(await page.run(() => window.notReloaded), true);
}
const shot = async (page, name, width = 1280) => {
  const height = Math.min(6000, await page.run(() => document.documentElement.scrollHeight));
  await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  await page.settle();
  await wait(150);
  await page.screenshot(join(shots, `${name}.png`));
};
const noErrors = (page) => assert.deepEqual(page.complaints.filter((text) => !/net::ERR_|status of 4\d\d/.test(text)), []);

const service = new Service(proxstream, folder);
const browser = new Browser(program);
try {
  await service.start();
  let page = await openLive('rows', { width: 1280 });
  await check('posts are seen as they come', async () => {
    await postRows(120);
    await untilTurn(page, 120);
    await checkTurns(page, 120, [1, 2, 60, 119, 120]);
  });
  await check('the service ends and begins again: the page continues', async () => {
    await service.stop();
    await untilLine(page, /^reconnecting . last event/);
    await service.start();
    await untilLine(page, /^live/);
    await postRows(30);
    await untilTurn(page, 150);
    await checkTurns(page, 150, [120, 121, 150]);
  });
  await check('it is killed, and turns are posted before the page is back', async () => {
    await service.stop('SIGKILL');
    await service.start();
    await postRows(75);
    await untilTurn(page, 225);
    await checkTurns(page, 225, [150, 151, 180, 225]);
  });
  await check('certificate and decision are kept up, coordinates have names', async () => {
    await until(page, () => document.querySelector('#certificate')?.textContent ?? '', (text) => text.includes('holds'));
    await until(page, () => document.querySelector('#decision')?.textContent ?? '', (text) => text.includes('first') && !text.includes('features'));
  });
  await check('a setting that is not allowed is refused at its field', async () => {
    await page.run(() => (document.querySelector('#what-window').value = 'wide'));
    await page.click('.what-if .primary');
    await until(page, () => document.querySelector('#what-window-error').textContent, (text) => text.includes('wide') || text.includes('window'));
  });
  await check('a fork with another window follows, is compared and ended', async () => {
    await page.run(() => (document.querySelector('#what-window').value = '8'));
    await page.click('.what-if .primary');
    await until(page, () => document.querySelectorAll('.forks tbody tr').length, (n) => n === 2);
    await postRows(100);
    await untilTurn(page, 325);
    const rows = await until(page, () => [...document.querySelectorAll('.forks tbody tr')].map((tr) => [...tr.children].map((td) => td.textContent)), (seen) => seen[1][2] === '325');
    const mean = [...losses].filter(([turn]) => turn > 225).reduce((sum, [, loss]) => sum + loss, 0) / 100;
    assertShown(rows[0][3], mean, 'mean loss since the fork');
    assert.match(rows[1][1], /window 8/);
    assert.match(rows[1][3], /\(.*%|same\)/);
    assert.deepEqual(Object.keys(await legend(page, 'chart-loss')), ['newest turns', 'so far', 'newest turns, what-if-1']);
    await page.click('[data-view=fork]');
    assert.equal(await page.run(() => Number(document.querySelector('#period').max) + 1), 100);
    await shot(page, 'serve-fork');
    await page.click('.forks .end button');
    await until(page, () => document.querySelector('#forks').checkVisibility(), (seen) => !seen);
    assert.deepEqual((await service.ask('GET', '/v1/learners')).learners.map(({ name }) => name).sort(), ['roads', 'rows']);
  });
  await check('the last 500 turns one by one, and many in buckets', async () => {
    await postRows(1500);
    await untilTurn(page, 1825);
    assert.ok(await page.run(() => Number(document.querySelector('#period').max) + 1 <= 1024));
    await page.click('[data-view=raw]');
    await until(page, () => Number(document.querySelector('#period').max) + 1, (n) => n === 500);
    await goTo(page, 0);
    assertShown((await legend(page, 'chart-loss')).loss, losses.get(1326), 'turn 1326');
    await page.click('[data-view=all]');
    noErrors(page);
    assert.deepEqual([(await faintTexts(page)).faint, await stickingOut(page), await nameless(page)], [[], [], []]);
    await shot(page, 'serve-rows');
    await page.close();
  });
  await check('report writes the page of the store while it is served', async () => {
    const file = join(folder, 'rows.html');
    const made = spawnSync(proxstream, ['report', join(folder, 'rows.run')], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    const data = dataOf(readFileSync(file, 'utf8'));
    assert.equal(data.state.turn, 1825);
    assert.equal(data.state.status, 'running');
    const report = await browser.open(file, { width: 1280 });
    assert.deepEqual(report.complaints, []);
    assert.match(await report.text('.status'), /running.*turn 1,825/);
    await report.close();
  });
  await check('a route: loads on the map, and a link that is closed in a fork', async () => {
    page = await openLive('roads', { width: 1280, features: { 'prefers-color-scheme': 'dark' } });
    const demand = (k) => ({ record: { period: `08:${String(k % 60).padStart(2, '0')}`, demand: { 'A->D': 8 + Math.sin(k / 5), 'B->D': 3 } } });
    const post = async (from, to) => { for (let k = from; k < to; k += 10) await service.ask('POST', '/v1/learners/roads/rounds', { batch: Array.from({ length: 10 }, (_, i) => demand(k + i)) }); };
    await post(0, 40);
    await untilTurn(page, 40);
    await until(page, () => document.querySelectorAll('.busiest li').length, (n) => n > 0);
    assert.match(await page.text('.busiest .load'), /%/);
    await page.run(() => {
      const select = document.querySelector('#what-link');
      select.value = [...select.options].find((option) => /B.*D/.test(option.textContent)).value;
    });
    await page.click('.field.link button');
    assert.match(await page.text('.closures'), /B.*D/);
    await page.click('.what-if .primary');
    await until(page, () => document.querySelectorAll('.forks tbody tr').length + document.querySelector('.send .problem').textContent, (seen) => seen === '2');
    await post(40, 80);
    await untilTurn(page, 80);
    await until(page, () => [...document.querySelectorAll('.forks tbody tr')[1].children].map((cell) => cell.textContent), (row) => row[2] === '80' && /B-D closed/.test(row[1]));
    const shown = await page.run(() => document.querySelectorAll('.forks tbody tr')[1].children[3].textContent);
    assert.match(shown, /\+/, `a closed link costs: ${shown}`);
    noErrors(page);
    await shot(page, 'serve-roads-dark');
    await page.close();
    const phone = await openLive('roads', { width: 400, height: 800, mobile: true });
    await wait(500);
    assert.deepEqual([await stickingOut(phone), await nameless(phone)], [[], []]);
    await shot(phone, 'serve-roads-phone', 400);
    await phone.close();
  });
} catch (error) {
  console.log(`not ok web serve: ${String(error.message).split('\n')[0]}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  await service.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
