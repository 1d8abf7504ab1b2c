// The page of a run in a real browser, from a file and live, against a service made of paper (run_server.mjs).
//   node run_test.mjs CHROMIUM SHOTS PAGE.html
// PAGE.html: any page of a run, as tests/store writes it; its data are replaced.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from './browser.mjs';
import { assertShown, checker, checkQuiet, faintTexts, goTo, meanOf, nameless, newest, stickingOut } from './page_checks.mjs';
import { channels, figures, PaperRun, PaperService } from './run_server.mjs';

const [program, shots, template] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const html = readFileSync(template, 'utf8').replace(" connect-src 'self';", '');
const check = checker('web run: ');
const dark = { 'prefers-color-scheme': 'dark' };
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const withData = (page, data) => page.replace(/(id="proxstream-data">)[\s\S]*?(<\/script>)/, (_, begin, end) => begin + JSON.stringify(data).replace(/</g, '\\u003c') + end);
const livePage = (data) => withData(html.replace("default-src 'none';", "default-src 'none'; connect-src 'self';"), data);

const browser = new Browser(program);
const service = new PaperService(livePage);
await service.start();

/** Until it holds, in the page; fails with the last thing seen. */
async function until(page, action, wanted, ...args) {
  let seen;
  for (let tries = 0; tries < 100; ++tries) {
    seen = await page.run(action, ...args);
    if (wanted(seen)) return seen;
    await wait(100);
  }
  throw new Error(`waited in vain; last seen: ${JSON.stringify(seen)}`);
}
const statusText = (page) => page.text('.status');
const untilTurn = (page, turn) => until(page, () => document.querySelector('.status .pace').textContent, (text) => text.startsWith(`turn ${turn.toLocaleString('en')} `) || text === `turn ${turn.toLocaleString('en')}`);

async function openLive(name, options = {}) {
  const page = await browser.open('/dev/null', options);
  await page.navigate(service.address(name));
  await page.run(() => (window.notReloaded = true));
  await until(page, () => document.querySelector('.status .line').className, (line) => line.includes('live'));
  return page;
}
async function openFile(name, data, options = {}) {
  const path = join(shots, `${name}.html`);
  writeFileSync(path, withData(html, data));
  return browser.open(path, options);
}
/** What legends say, by chart and line. */
const legends = (page) => page.run(() => Object.fromEntries([...document.querySelectorAll('.chart')].filter((c) => c.checkVisibility()).map((chart) => [
  chart.id, Object.fromEntries([...chart.querySelectorAll('.chart-legend button')].map((b) => [b.querySelector('.name').textContent, b.querySelector('.value').textContent]))])));
const places = (page) => page.run(() => Number(document.querySelector('#period').max) + 1);
/** Every turn is there once, with its own figures. */
async function checkTurns(page, kind, turns, at) {
  assert.equal(await places(page), turns);
  const names = channels[kind];
  const main = { learn: ['chart-loss', 'newest turns', 'loss'], route: ['chart-cost', 'cost', 'cost'] }[kind];
  const width = kind === 'learn' ? newest(turns) : 1;
  for (const turn of at) {
    await goTo(page, turn - 1);
    assert.equal(await page.text('#now'), `turn ${turn.toLocaleString('en')}`);
    assertShown((await legends(page))[main[0]][main[1]], meanOf(turn, width, (each) => figures(kind, each)[names.indexOf(main[2])]), `turn ${turn}`);
  }
  await goTo(page, turns - 1);
}
const noErrors = (page) => assert.deepEqual(page.complaints.filter((text) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_CONNECTION_RESET|ERR_EMPTY|status of 4\d\d/.test(text)), []);
const shot = async (page, name, width, whole = true) => {
  const height = whole ? Math.min(6000, await page.run(() => document.documentElement.scrollHeight)) : 1000;
  await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  await page.settle();
  await wait(100);
  await page.screenshot(join(shots, `${name}.png`));
};

for (const kind of ['learn', 'route', 'play', 'fit']) {
  await check(`a ${kind} from a store: charts of all its figures, and nothing is asked for`, async () => {
    const run = new PaperRun(kind, kind, 300);
    run.status = 'stopped';
    const page = await openFile(`run-${kind}`, run.data(false), { width: 1280 });
    await checkQuiet(page);
    const shown = await legends(page);
    assert.ok(Object.keys(shown).length >= 3, JSON.stringify(shown));
    assert.equal(await page.run(() => document.querySelector('#what-if, .run-bar [data-view=fork]:not([hidden])')), null);
    assert.match(await statusText(page), /stopped/);
    if (channels[kind].includes('stationarity_gap')) assertShown(shown['chart-stationarity'].gap, figures(kind, 300)[channels[kind].indexOf('stationarity_gap')], 'gap');
    assert.deepEqual((await page.run(() => [...document.querySelectorAll('.alarms li')].map((li) => li.className))), ['open', 'cleared']);
    assert.deepEqual([(await faintTexts(page)).faint, await stickingOut(page), await nameless(page)], [[], [], []]);
    await shot(page, `run-${kind}`, 1280);
    await page.close();
  });
}

await check('a run without a turn says so', async () => {
  const data = new PaperRun('none', 'learn', 0).data(false);
  const page = await openFile('run-nothing', { ...data, decision: null }, { width: 1280 });
  await checkQuiet(page);
  assert.equal(await page.run(() => document.querySelector('.no-turns').checkVisibility()), true);
  await page.close();
});

await check('what others wrote stays text', async () => {
  const data = new PaperRun('evil', 'route', 200).data(false);
  const evil = '</script><img src=x onerror="document.title=1">';
  data.title = data.command = evil;
  data.alarms[0].text = data.certificate.conclusion = data.decision.note = evil;
  data.scenery.network.links.name[0] = evil;
  const page = await openFile('run-evil', data, { width: 1280 });
  await checkQuiet(page);
  assert.equal(await page.run(() => document.querySelectorAll('#app img, #app script').length), 0);
  assert.equal(await page.text('h1'), evil);
  await page.close();
});

const rows = service.add(new PaperRun('rows', 'learn', 100));
let page = await openLive('rows', { width: 1280 });
await check('turns arrive one by one, each once', async () => {
  for (let k = 0; k < 10; ++k) {
    rows.play(3);
    await wait(60);
  }
  await untilTurn(page, 130);
  await checkTurns(page, 'learn', 130, [1, 100, 101, 115, 130]);
  assert.match(await page.text('.pace'), /turns\/s/);
  noErrors(page);
});
await check('a turn that is looked at stays in view while others come', async () => {
  await goTo(page, 49);
  rows.play(5);
  await untilTurn(page, 135);
  assert.equal(await page.text('#now'), 'turn 50');
  await goTo(page, 134);
  rows.play(5);
  await untilTurn(page, 140);
  await until(page, () => document.querySelector('#now').textContent, (text) => text === 'turn 140');
});
await check('alarms come and are cleared, a pause is shown', async () => {
  rows.alarm({ id: 9, turn: 140, cleared: null, kind: 'stationarity gap', subject: 'x', text: 'above tolerance' });
  await until(page, () => document.querySelectorAll('.alarms .open').length, (n) => n === 1);
  rows.alarm({ id: 9, turn: 140, cleared: 141, kind: 'stationarity gap', subject: 'x', text: 'above tolerance' });
  await until(page, () => document.querySelectorAll('.alarms .cleared').length, (n) => n === 1);
  rows.setStatus('paused', 'by hand');
  await until(page, () => document.querySelector('.badge').textContent, (text) => text.includes('paused'));
  assert.match(await statusText(page), /by hand/);
  rows.setStatus('running');
});
await check('a dropped connection is taken up again, without a gap or a double turn', async () => {
  rows.cut();
  await until(page, () => document.querySelector('.status .line').textContent, (text) => /^reconnecting . last event \d+.s ago/.test(text));
  rows.play(20);
  await untilTurn(page, 160);
  await checkTurns(page, 'learn', 160, [139, 140, 141, 150, 160]);
});
await check('after the service was stopped and started again it continues, without a reload', async () => {
  const { port } = service;
  await service.stop();
  await until(page, () => document.querySelector('.status .line').className, (line) => line.includes('reconnecting'));
  await until(page, () => document.querySelector('.status .line').textContent, (text) => /last event [1-9]\d*.s ago/.test(text));
  rows.play(40, true);
  await service.start(port);
  await untilTurn(page, 200);
  rows.play(4);
  await untilTurn(page, 204);
  await checkTurns(page, 'learn', 204, [160, 161, 200, 201, 204]);
  assert.equal(await page.run(() => window.notReloaded), true);
});
await check('after a long absence the whole of it is asked for again', async () => {
  const { port } = service;
  await service.stop();
  rows.play(5000, true);
  service.asked = [];
  await service.start(port);
  await untilTurn(page, 5204);
  assert.ok(service.asked.includes('GET /v1/learners/rows/page'));
  // One by one: what events did not bring is asked for.
  await page.click('[data-view=raw]');
  await until(page, () => Number(document.querySelector('#period').max) + 1, (n) => n === 500);
  assert.ok(service.asked.includes('GET /v1/learners/rows/turns'));
  await page.click('[data-view=all]');
  rows.play(600);
  await untilTurn(page, 5804);
  assert.ok((await places(page)) <= 1024);
  await page.click('[data-view=raw]');
  assert.equal(await places(page), 500);
  await goTo(page, 499);
  assertShown((await legends(page))['chart-loss'].loss, figures('learn', 5804)[0], 'the last turn');
  await goTo(page, 0);
  assert.equal(await page.text('#now'), 'turn 5,305');
  assertShown((await legends(page))['chart-loss'].loss, figures('learn', 5305)[0], 'the first of them');
  await page.click('[data-view=all]');
});
await check('what the service refuses is said where it arose', async () => {
  service.refusal = [422, { error: { status: 422, message: 'settings', violations: ['window: -1 is not a window; expected a number from 1'] } }];
  await page.run(() => (document.querySelector('#what-window').value = '-1'));
  await page.click('.what-if .primary');
  await until(page, () => document.querySelector('#what-window-error').textContent, (text) => text.includes('expected a number from 1'));
  assert.equal(await page.run(() => document.activeElement.id), 'what-window');
  service.refusal = [429, { error: { message: 'too many forks' } }];
  await page.click('.what-if .primary');
  await until(page, () => document.querySelector('.send .problem').textContent, (text) => text === 'too many forks');
  assert.equal(await page.text('#what-window-error'), '');
  service.refusal = null;
});
await check('a fork from now: posted, drawn beside, compared, ended', async () => {
  service.posted = [];
  await page.run(() => (document.querySelector('#what-window').value = '16'));
  await page.click('.what-if .primary');
  await until(page, () => document.querySelectorAll('.forks tbody tr').length, (n) => n === 2);
  assert.deepEqual(service.posted, [{ name: 'what-if-1', settings: { window: '16' }, events: [] }]);
  for (let k = 0; k < 10; ++k) {
    rows.play(12);
    await wait(40);
  }
  await untilTurn(page, 5924);
  const cells = await until(page, () => [...document.querySelectorAll('.forks tbody tr')].map((tr) => [...tr.children].map((td) => td.textContent)), (seen) => seen[1][2] === '5,924');
  const mean = (better) => Array.from({ length: 120 }, (_, i) => figures('learn', 5805 + i, better)[0]).reduce((a, b) => a + b, 0) / 120;
  assertShown(cells[0][3], mean(1), 'mean loss of the run');
  assertShown(cells[1][3], mean(0.7), 'mean loss of the fork');
  assert.match(cells[1][3], /\(\u221230.%\)/);
  assert.match(cells[1][1], /window 16/);
  const lines = (await legends(page))['chart-loss'];
  assert.deepEqual(Object.keys(lines), ['newest turns', 'newest turns, what-if-1']);
  await page.click('[data-view=fork]');
  assert.equal(await places(page), 120);
  await goTo(page, 119);
  assertShown((await legends(page))['chart-loss']['newest turns, what-if-1'], mean(0.7), 'the fork now');
  await shot(page, 'run-fork', 1280);
  await page.click('.forks .end button');
  await until(page, () => document.querySelector('#forks').checkVisibility(), (seen) => !seen);
  assert.ok(service.asked.includes('DELETE /v1/learners/what-if-1'));
  assert.deepEqual(Object.keys((await legends(page))['chart-loss']), ['newest turns']);
  noErrors(page);
});
await page.close();

const million = service.add(new PaperRun('million', 'learn', 1_000_000));
await check('with a million turns behind it: at most 1024 places, drawn and live', async () => {
  page = await openLive('million', { width: 1280 });
  assert.ok((await places(page)) <= 1024, String(await places(page)));
  for (let k = 0; k < 20; ++k) {
    million.play(100);
    await wait(50);
  }
  await untilTurn(page, 1_002_000);
  assert.ok((await places(page)) <= 1024);
  const busy = await page.run(async () => {
    const begin = performance.now();
    for (let k = 0; k < 5; ++k) {
      document.querySelector('[data-view=raw]').click();
      await new Promise(requestAnimationFrame);
      document.querySelector('[data-view=all]').click();
      await new Promise(requestAnimationFrame);
    }
    return (performance.now() - begin) / 10;
  });
  assert.ok(busy < 500, `${busy} ms to draw all charts`);
  assert.deepEqual([(await faintTexts(page)).faint, await stickingOut(page), await nameless(page)], [[], [], []]);
  await shot(page, 'run-million', 1280);
  await page.media(dark);
  await page.settle();
  assert.deepEqual((await faintTexts(page)).faint, []);
  await shot(page, 'run-million-dark', 1280);
  noErrors(page);
  await page.close();
});

const city = service.add(new PaperRun('city', 'route', 400));
await check('a route: loads on the map, a link picked there is closed in a fork', async () => {
  page = await openLive('city', { width: 1280 });
  const picture = () => page.run(() => document.querySelector('canvas.map').toDataURL());
  const before = await picture();
  city.closed = [0];
  city.play(5);
  await untilTurn(page, 405);
  await until(page, () => document.querySelector('.map').toDataURL(), (now) => now !== before);
  await page.run(() => document.querySelector('#map').scrollIntoView({ block: 'center', behavior: 'instant' }));
  // Points along the map until one is near a link.
  const picked = await page.run(() => {
    const canvas = document.querySelector('canvas.map');
    const box = canvas.getBoundingClientRect();
    for (let k = 1; k < 60; ++k) {
      const at = { clientX: box.left + box.width / 2 + k * 2, clientY: box.top + box.height / 2 + 3, bubbles: true, pointerId: 1, pointerType: 'mouse' };
      canvas.setPointerCapture = () => {};
      canvas.dispatchEvent(new PointerEvent('pointerdown', at));
      canvas.dispatchEvent(new PointerEvent('pointerup', at));
      const select = document.querySelector('#what-link');
      if (k > 30 && select.value !== '') return select.selectedOptions[0].textContent;
    }
    return '';
  });
  assert.match(picked, /hub/);
  service.posted = [];
  await page.click('.what-if .primary');
  await until(page, () => document.querySelectorAll('.forks tbody tr').length, (n) => n === 2);
  assert.deepEqual(service.posted[0].events, [{ link: picked, close: true }]);
  city.play(30);
  await until(page, () => [...document.querySelectorAll('.forks tbody tr')[1].children].map((cell) => cell.textContent), (row) => row[2] === '435' && row[1] === `${picked} closed`);
  service.runs.get('what-if-1').setStatus('stopped', 'no longer follows city: 65536 records behind');
  await until(page, () => document.querySelector('.forks .otherwise .problem').textContent, (text) => text.includes('stopped: no longer follows city'));
  assert.deepEqual([await stickingOut(page), await nameless(page)], [[], []]);
  await page.media(dark);
  await page.settle();
  await shot(page, 'run-city-dark', 1280);
  noErrors(page);
  await page.close();
});
await check('on a phone of 400 points', async () => {
  for (const [name, features] of [['city', {}], ['million', dark]]) {
    page = await openLive(name, { width: 400, height: 800, mobile: true, features });
    service.runs.get(name).play(20);
    await wait(600);
    assert.deepEqual([await stickingOut(page), (await faintTexts(page)).faint, await nameless(page)], [[], [], []], name);
    await shot(page, `run-phone-${name}`, 400);
    noErrors(page);
    await page.close();
  }
});

await browser.close();
await service.stop();
