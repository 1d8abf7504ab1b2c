// The report of a game in a real browser. A line a check: "ok NAME" or "not ok NAME", as scripts/test.sh wants.
//   node play_test.mjs CHROMIUM SHOTS FOLDER [OTHER.html ..]
// FOLDER holds what tests/play writes: proxstream-play-plane.html, -triangles.html and -ring.html.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Browser } from './browser.mjs';
import {
  assertShown, checker, checkQuiet, dataOf, faintTexts, goTo, nameless, numberIn, slider, stickingOut, variant as writeVariant,
} from './page_checks.mjs';

const [program, shots, folder, ...others] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const pathOf = (name) => join(folder, `proxstream-play-${name}.html`);
const dark = { 'prefers-color-scheme': 'dark' };
const browser = new Browser(program);

const check = checker('web play: ');
const picture = (page, selector) => page.run((s) => document.querySelector(s).toDataURL(), selector);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A page of tests/play with other data in it. */
const variant = (source, name, change) => writeVariant(source, join(shots, `${name}.html`), change);

/** The newest value that was known in a round. */
const heldAt = (rounds, values, round) => values[rounds.filter((r) => r <= round).length - 1] ?? null;

/** Every figure of the bar, the legends and the pictures, against the data. */
async function checkPlay(page, data, place) {
  const shown = await page.run(() => ({
    label: document.querySelector('#now').textContent,
    readings: Object.fromEntries([...document.querySelectorAll('.timebar .readings output')].map((o) => [o.id, o.textContent])),
    legends: Object.fromEntries([...document.querySelectorAll('.chart')].map((chart) => [
      chart.id, Object.fromEntries([...chart.querySelectorAll('.chart-legend button')].map((b) => [b.querySelector('.name').textContent, b.querySelector('.value').textContent]))])),
    where: [...document.querySelectorAll('.where')].map((o) => o.textContent),
    cursors: [...document.querySelectorAll('.chart-cursor')].filter((c) => c.checkVisibility()).map((cursor) => {
      const over = cursor.parentElement.getBoundingClientRect();
      const box = cursor.getBoundingClientRect();
      return [(box.left + box.right) / 2 - over.left, over.width];
    }),
  }));
  const round = data.rounds[place];
  assert.equal(numberIn(shown.label), round);
  const gain = heldAt(data.gains.rounds, data.gains.values, round);
  const known = (series) => series.some((value) => value !== null);
  for (const [id, series, value] of [['gap', data.gap, data.gap[place]], ['bound', data.gapBound, data.gapBound[place]],
    ['instant', data.instantGap, data.instantGap[place]], ['gains', data.gains.values, gain]]) {
    if (known(series)) assertShown(shown.readings[`now-${id}`], value, id);
    else assert.equal(shown.readings[`now-${id}`], undefined, id);
  }
  const gap = shown.legends['chart-gap'];
  if (known(data.gap)) assertShown(gap['smoothed gap'], data.gap[place], 'gap');
  if (known(data.gapBound)) assertShown(gap['its proved bound'], data.gapBound[place], 'bound of the gap');
  if (known(data.instantGap)) assertShown(gap['gap of this play'], data.instantGap[place], 'gap of this play');
  if (known(data.gains.values)) assertShown(gap[data.gains.exact ? 'exploitability' : 'exploitability, at least'], gain, 'exploitability');
  data.players.forEach((player, i) => {
    if (known(player.cost)) assertShown(shown.legends[`chart-cost-${i}`].cost, player.cost[place], `cost of ${player.name}`);
    const gaps = shown.legends[`chart-gap-${i}`];
    if (known(player.instant)) assertShown(gaps['of this play alone'], player.instant[place], `gap of ${player.name}`);
    if (known(player.bound)) assertShown(gaps['its proved bound'], player.bound[place], `bound of ${player.name}`);
  });
  data.paths.forEach((path, i) => {
    const at = path.rounds.filter((r) => r <= round).length - 1;
    const values = path.triangle ? [1 - path.x[at] - path.y[at], path.x[at], path.y[at]] : [path.x[at], path.y[at]];
    shown.where[i].split(' \u00b7 ').forEach((text, k) => {
      const number = text.split(' ').at(-1);
      if (Math.abs(values[k]) > 1e-5) assertShown(number, values[k], `${path.title}: ${path.axes[k]}`);
    });
  });
  assert.ok(shown.cursors.length > 0);
  const [first, last] = [data.rounds[0], data.rounds.at(-1)];
  for (const [x, width] of shown.cursors) {
    const wanted = ((round - first) / Math.max(1, last - first)) * width;
    assert.ok(Math.abs(x - wanted) <= 1, `a chart's cursor is at ${x}, not at ${wanted}`);
  }
}

const open = new Map();
for (const name of ['plane', 'triangles', 'ring']) {
  const data = dataOf(readFileSync(pathOf(name), 'utf8'));
  const page = await browser.open(pathOf(name));
  open.set(name, { data, page });
  const last = data.rounds.length - 1;
  await check(`${name}: loads without a complaint, asks nothing of any network, and opens at the end`, async () => {
    await checkQuiet(page);
    assert.equal(await slider(page), last);
  });
  await check(`${name}: what is on the screen equals the data, wherever the slider stands`, async () => {
    for (const share of [0, 0.001, 0.2, 0.5, 0.77, 1]) {
      await goTo(page, Math.round(share * last));
      await checkPlay(page, data, Math.round(share * last));
    }
  });
  await check(`${name}: findings, claims and settings stand in the page`, async () => {
    const texts = await page.run(() => [...document.querySelectorAll('.findings li')].map((li) => li.textContent));
    assert.deepEqual(texts, data.findings);
    const claims = await page.run(() => [...document.querySelectorAll('.claim')].map((c) => [c.querySelector('b').textContent, c.querySelector('.verdict').lastChild.textContent]));
    assert.deepEqual(new Map(claims), new Map(data.claims.map((c) => [c.id, c.verdict])));
    assert.match(await page.text('.claim .sides'), /0\.0298 against 0\.033/);
    assert.deepEqual(await page.run(() => [...document.querySelectorAll('.settings dd')].map((dd) => dd.textContent)), data.settings.map((s) => s.value));
  });
  await check(`${name}: the page says that the smoothed gap is no equilibrium`, async () => {
    assert.match(await page.text('#chart-gap .note'), /no Nash equilibrium/);
    assert.deepEqual(await page.run(() => [...document.querySelectorAll('#chart-gap .group')].map((li) => li.textContent)),
      ['Of this play alone', 'Smoothed over the last 10 plays']);
  });
  await check(`${name}: everything has a name, and text is plain to read in the light and in the dark`, async () => {
    assert.deepEqual(await nameless(page), []);
    assert.deepEqual((await faintTexts(page)).faint, []);
    await page.screenshot(join(shots, `play-${name}.png`), true);
    await page.media(dark);
    await page.settle();
    assert.deepEqual((await faintTexts(page)).faint, []);
    await goTo(page, Math.round(0.6 * last));
    await page.screenshot(join(shots, `play-${name}-dark.png`), true);
  });
  await check(`${name}: paper is light, and nothing sticks out of it nor of any screen`, async () => {
    const { data: pdf } = await page.send('Page.printToPDF', { printBackground: true });
    writeFileSync(join(shots, `play-${name}.pdf`), Buffer.from(pdf, 'base64'));
    const found = [];
    for (const [width, media] of [[320, ''], [390, ''], [768, ''], [1024, ''], [1100, ''], [1280, ''], [1920, ''], [718, 'print']]) {
      await page.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false });
      await page.media({}, media);
      await page.settle();
      found.push(...(await stickingOut(page)).map((what) => `${width} ${media}: ${what}`));
    }
    assert.deepEqual(found, []);
    await page.media({});
    await page.send('Emulation.setDeviceMetricsOverride', { width: 1440, height: 1000, deviceScaleFactor: 1, mobile: false });
    await page.settle();
  });
}

const { page: plane, data: pennies } = open.get('plane');
await check('the path grows with time, and a click on it goes there', async () => {
  await goTo(plane, 200);
  const early = await picture(plane, '#path-0 canvas');
  await goTo(plane, 700);
  assert.notEqual(await picture(plane, '#path-0 canvas'), early);
  await goTo(plane, 200);
  assert.equal(await picture(plane, '#path-0 canvas'), early);
  await plane.run(() => document.querySelector('#path-0').scrollIntoView({ block: 'center', behavior: 'instant' }));
  // The start, where the play of round 1 lies: x of 54 .. width - 12 and y of 8 .. height - 42 for -1.08 .. 1.08.
  const [x, y] = await plane.run((px, py) => {
    const box = document.querySelector('#path-0 canvas').getBoundingClientRect();
    return [box.left + 54 + ((px + 1.08) / 2.16) * (box.width - 66), box.top + 8 + ((1.08 - py) / 2.16) * (box.height - 50)];
  }, pennies.paths[0].x[0], pennies.paths[0].y[0]);
  await plane.mouse('mousePressed', x, y, { button: 'left', clickCount: 1 });
  await plane.mouse('mouseReleased', x, y, { button: 'left', clickCount: 1 });
  await plane.settle();
  assert.ok((await slider(plane)) <= 1, String(await slider(plane)));
});
await check('a click on a chart goes to the round under it, and play continues', async () => {
  await plane.click('#chart-gap .u-over');
  const at = await slider(plane);
  assert.ok(Math.abs(pennies.rounds[at] - 2500) < 30, String(at));
  await plane.click('.timebar .play');
  await wait(500);
  await plane.click('.timebar .play');
  assert.ok((await slider(plane)) > at);
});

const { page: ring, data: gan } = open.get('ring');
const frameShown = () => ring.run(() => Number(document.querySelector('#frame').value));
const setFrame = (frame) => goTo(ring, frame, '#frame');
await check('the film shows each frame with its figures, and takes the page along', async () => {
  const pictures = new Set();
  for (const frame of [0, 7, 24]) {
    await setFrame(frame);
    const cloud = gan.clouds[frame];
    assert.equal(numberIn(await ring.text('#cloud-round')), cloud.round);
    assert.equal(await ring.text('#cloud-modes'), `${cloud.modes} of ${gan.centres.x.length}`);
    assertShown((await ring.text('#cloud-quality')).replace('\u202f%', ''), cloud.quality * 100, 'quality');
    assertShown(await ring.text('#cloud-divergence'), cloud.divergence, 'divergence');
    assert.ok(Math.abs(gan.rounds[await slider(ring)] - cloud.round) <= 20);
    pictures.add(await picture(ring, '#cloud .plot'));
  }
  assert.equal(pictures.size, 3);
});
await check('the film follows the bar of time', async () => {
  await goTo(ring, 100);
  const newest = gan.clouds.filter((cloud) => cloud.round <= gan.rounds[100]).length - 1;
  assert.equal(await frameShown(), newest);
  await goTo(ring, 0);
  assert.equal(await frameShown(), 0);
});
await check('the film plays, stops, and ends at its end', async () => {
  await setFrame(2);
  await ring.click('#cloud .play');
  await wait(600);
  await ring.click('#cloud .play');
  const stopped = await frameShown();
  assert.ok(stopped > 3, String(stopped));
  await wait(400);
  assert.equal(await frameShown(), stopped);
  await setFrame(22);
  await ring.click('#cloud .play');
  await wait(900);
  assert.equal(await frameShown(), 24);
  assert.equal(await ring.run(() => document.querySelector('#cloud .play').classList.contains('playing')), false);
});
await check('a still leads to its frame', async () => {
  await ring.click('.stills button:nth-child(2)');
  assert.equal(await frameShown(), 5);
  assert.equal(await ring.run(() => document.querySelectorAll('.stills [aria-pressed=true]').length), 1);
});
for (const [name, { page }] of open) await check(`${name}: nothing went wrong in all this`, () => checkQuiet(page));
for (const { page } of open.values()) await page.close();

await check('a phone has room for fingers', async () => {
  const phone = await browser.open(pathOf('ring'), { width: 360, height: 740, mobile: true });
  assert.deepEqual(await stickingOut(phone), []);
  const cramped = await phone.run(() => [...document.querySelectorAll('button')].filter((b) => b.checkVisibility() && b.getBoundingClientRect().height < 24).map((b) => `${b.className} ${b.textContent}`));
  assert.deepEqual(cramped, []);
  await phone.screenshot(join(shots, 'play-phone.png'), true);
  await phone.close();
});
await check('text from files stays text', async () => {
  const evil = '<img src=x onerror="document.title=1"></script><script>throw 1</script>\u2028';
  const path = variant(pathOf('plane'), 'play-evil', (other) => {
    other.title = other.subtitle = other.command = other.findings[0] = other.claims[0].left = evil;
    other.players[0].name = other.paths[0].axes[0] = other.paths[0].title = evil;
  });
  const other = await browser.open(path);
  await checkQuiet(other);
  assert.equal(await other.text('h1'), evil);
  await other.close();
});
await check('plays of nothing, of one round, of zeros, of one learner without a window, and of many open too', async () => {
  const series = ['gap', 'gapBound', 'instantGap'];
  const each = ['gap', 'bound', 'instant', 'cost'];
  const fill = (other, rounds, value) => {
    other.rounds = rounds;
    for (const name of series) other[name] = rounds.map(() => value);
    for (const player of other.players) for (const name of each) player[name] = rounds.map(() => value);
    other.gains = { rounds, values: rounds.map(() => value), exact: true };
  };
  const variants = {
    nothing: (other) => {
      fill(other, [], 0);
      other.players = other.paths = other.clouds = other.claims = other.findings = other.settings = [];
    },
    single: (other) => {
      fill(other, [1], 0.5);
      other.paths = [{ ...other.paths[0], rounds: [1], x: [0.5], y: [0.5], range: [0, 0, 0, 0] }];
    },
    zeros: (other) => fill(other, [1, 2, 3], 0),
    unknown: (other) => {
      fill(other, [1, 2, 3], null);
      other.paths[0].x[3] = other.paths[0].y[3] = null;
    },
    many: (other) => {
      other.players = Array.from({ length: 9 }, (_, i) => ({ ...other.players[i % 2], name: `player ${i}` }));
      other.paths = Array.from({ length: 5 }, () => other.paths[0]);
    },
  };
  for (const [name, change] of Object.entries(variants)) {
    const other = await browser.open(variant(pathOf('plane'), `play-${name}`, change));
    await wait(100);
    assert.deepEqual(other.complaints, [], name);
    assert.deepEqual(await stickingOut(other), [], name);
    if (name === 'zeros') assert.equal(await other.text('#chart-gap .chart-legend .value'), '0');
    await other.screenshot(join(shots, `play-${name}.png`), true);
    await other.close();
  }
});
for (const path of others) {
  await check(`${basename(path)} of a real play shows its data`, async () => {
    const played = dataOf(readFileSync(path, 'utf8'));
    const other = await browser.open(path);
    await checkQuiet(other);
    for (const share of [0, 0.3, 0.77, 1]) {
      const place = Math.round(share * (played.rounds.length - 1));
      await goTo(other, place);
      await checkPlay(other, played, place);
    }
    assert.deepEqual(await nameless(other), []);
    assert.deepEqual(await stickingOut(other), []);
    await other.screenshot(join(shots, `${basename(path, '.html')}.png`), true);
    await other.close();
  });
}
await browser.close();
