// Pages of other sites against the service, in a browser: one from another port, and one whose name leads here
// (DNS rebinding). They may read, post and frame nothing, and the store stays as it was.
//   node site_test.mjs CHROMIUM PROXSTREAM
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from './browser.mjs';
import { checker } from './page_checks.mjs';
import { Service } from './service.mjs';

const [program, proxstream] = process.argv.slice(2);
const rebound = '127.evil.example';
const check = checker('web site: ');
const folder = mkdtempSync(join(tmpdir(), 'proxstream-site-'));
writeFileSync(join(folder, 'learners.toml'), '[learner.rows]\nkind = "learn"\nfeatures = ["first"]\nwindow = "8"\nstep = "0.5"\n');

/** Everything a page can try, each with what came of it; runs in the page. */
async function attack(base) {
  const learner = `${base}/v1/learners/rows`;
  const body = JSON.stringify({ record: { x: [0.5], y: 1 } });
  const outcome = (promise) => promise.catch((error) => String(error.name));
  const post = (type, mode) => outcome(fetch(`${learner}/rounds`, { method: 'POST', body, headers: type ? { 'Content-Type': type } : {}, mode }).then((reply) => reply.status));
  const loaded = (frame) => new Promise((done) => (frame.onload = () => done()));
  const frame = async (path) => {
    const element = document.createElement('iframe');
    const over = loaded(element);
    element.src = base + path;
    document.documentElement.append(element);
    await over;
  };
  const submit = async () => {
    const target = document.createElement('iframe');
    target.name = 'target';
    document.documentElement.append(target);
    const form = document.createElement('form');
    Object.assign(form, { action: `${learner}/rounds`, method: 'POST', enctype: 'text/plain', target: 'target' });
    const field = document.createElement('input');
    Object.assign(field, { name: body.slice(0, -1) + ',"key":"', value: '"}' });
    form.append(field);
    document.documentElement.append(form);
    const over = loaded(target);
    form.submit();
    await over;
  };
  const events = () => new Promise((done) => {
    const source = new EventSource(`${learner}/events`);
    source.onopen = () => (source.close(), done('open'));
    source.onerror = () => (source.close(), done('closed'));
  });
  const seen = {
    read: await outcome(fetch(learner).then((reply) => reply.text())),
    json: await post('application/json', 'cors'),
    text: await post('text/plain', 'no-cors'),
    blind: await post('', 'no-cors'),
    events: await events(),
  };
  for (const type of ['text/plain', 'application/json']) navigator.sendBeacon(`${learner}/rounds`, new Blob([body], { type }));
  await submit();
  await frame('/');
  await frame('/learners/rows');
  return seen;
}

const other = createServer((request, reply) => reply.setHeader('Content-Type', 'text/html').end('<!doctype html><title>other</title>'));
await new Promise((ready) => other.listen(0, '127.0.0.1', ready));
const service = new Service(proxstream, folder);
const browser = new Browser(program, [`--host-resolver-rules=MAP ${rebound} 127.0.0.1`]);
const lastTurn = async () => (await service.ask('GET', '/v1/learners/rows')).turn;
/** The documents of the service that stand in frames of the page. */
async function framed(page) {
  const { frameTree } = await page.send('Page.getFrameTree');
  return (frameTree.childFrames ?? []).map(({ frame }) => frame.unreachableUrl ?? `shown: ${frame.url}`).filter((url) => url.startsWith('shown'));
}
try {
  await service.start();
  await service.ask('POST', '/v1/learners/rows/rounds', { record: { x: [0.1], y: 0.2 } });
  const base = `http://127.0.0.1:${service.port}`;
  await check('a page of another port reads, posts and frames nothing', async () => {
    const page = await browser.open('/dev/null');
    await page.navigate(`http://127.0.0.1:${other.address().port}/`);
    const seen = await page.run(attack, base);
    assert.deepEqual([seen.read, seen.json, seen.events], ['TypeError', 'TypeError', 'closed']);
    // What a form got as its answer is an error, and errors are not framed either.
    assert.deepEqual(await framed(page), []);
    await page.close();
    assert.equal(await lastTurn(), 1);
  });
  await check('a page of another name that leads here reads, posts and frames nothing', async () => {
    const evil = `http://${rebound}:${service.port}`;
    const page = await browser.open('/dev/null');
    // Any document gives the page this origin. Browsers may hold back pages that came from the public network, so
    // it comes from here.
    await page.navigate(`${evil}/none`);
    assert.equal(await page.run(() => origin), evil);
    const seen = await page.run(attack, evil);
    assert.match(seen.read, /^\{"error":\{"status":403/);
    assert.deepEqual([seen.json, seen.text, seen.blind, seen.events], [403, 403, 403, 'closed']);
    assert.deepEqual(await framed(page), []);
    await page.close();
    assert.equal(await lastTurn(), 1);
  });
  await check('the page of the service itself may do all that', async () => {
    const page = await browser.open('/dev/null');
    await page.navigate(`${base}/v1/learners`);
    const posted = await page.run(async (url) => (await fetch(url, { method: 'POST', body: '{"record":{"x":[0.5],"y":1}}', headers: { 'Content-Type': 'application/json' } })).status, `${base}/v1/learners/rows/rounds`);
    await page.close();
    assert.deepEqual([posted, await lastTurn()], [200, 2]);
  });
} catch (error) {
  console.log(`not ok web site: ${String(error.message).split('\n')[0]}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  await service.stop('SIGKILL');
  other.close();
  other.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
