// Drives a headless Chromium over a pipe with its own DevTools protocol: what the tests need of a driver is this
// little, and it works with whatever version Debian has.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const patience = 30_000;

export class Browser {
  #next = 0;
  #waiting = new Map();
  #listeners = new Set();
  #profile = mkdtempSync(join(tmpdir(), 'proxstream-browser-'));

  constructor(program, more = []) {
    // Its sandbox needs privileges that root in a container has not got; the pages are our own.
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe',
      '--disable-dev-shm-usage', '--no-first-run', `--user-data-dir=${this.#profile}`, ...more, 'about:blank'];
    this.process = spawn(program, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    let text = '';
    this.process.stdio[4].setEncoding('utf8').on('data', (piece) => {
      text += piece;
      for (let end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0')) {
        this.#receive(JSON.parse(text.slice(0, end)));
        text = text.slice(end + 1);
      }
    });
    this.process.on('exit', () => this.#waiting.forEach(({ reject }) => reject(new Error('the browser ended'))));
    this.process.stdio[3].on('error', () => {});
  }

  #receive(message) {
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const { resolve, reject } = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#next;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), patience);
      const settle = (then) => (value) => (clearTimeout(timer), then(value));
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** A fresh page of that size, with `path` opened in it. */
  async open(path, { width = 1440, height = 1000, mobile = false, features = {} } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.#listeners.add((message) => message.sessionId === sessionId && page.hear(message));
    for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'DOM', 'Accessibility']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: mobile ? 2 : 1, mobile });
    if (mobile) await page.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await page.media(features);
    await page.navigate(`file://${path}`);
    return page;
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    if (this.process.exitCode === null) await new Promise((resolve) => this.process.once('exit', resolve));
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Page {
  complaints = [];
  requests = [];

  constructor(browser, sessionId, targetId) {
    Object.assign(this, { browser, sessionId, targetId });
  }
  hear({ method, params }) {
    if (method === 'Page.loadEventFired') this.hasLoaded?.();
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled') this.complaints.push(`${params.type}: ${params.args.map((a) => a.value ?? a.description).join(' ')}`);
    if (method === 'Log.entryAdded') this.complaints.push(`${params.entry.level}: ${params.entry.text}`);
  }
  send(method, params = {}) {
    return this.browser.send(method, params, this.sessionId);
  }
  media(features, media = '') {
    return this.send('Emulation.setEmulatedMedia', { media, features: Object.entries(features).map(([name, value]) => ({ name, value })) });
  }
  async navigate(url) {
    this.loaded = new Promise((resolve) => (this.hasLoaded = resolve));
    await this.send('Page.navigate', { url });
    await this.loaded;
    await this.settle();
  }
  /** What a function makes of these arguments, inside the page. */
  async run(action, ...args) {
    const expression = `(${action})(...${JSON.stringify(args)})`;
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  /** Two frames later everything that was asked for has been drawn. */
  settle() {
    return this.run(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  text(selector) {
    return this.run((s) => document.querySelector(s).textContent, selector);
  }
  async press(key) {
    const codes = { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35, PageUp: 33, PageDown: 34, Tab: 9, Enter: 13, ' ': 32, '+': 187, 0: 48 };
    const event = { key, code: key, windowsVirtualKeyCode: codes[key], ...(key.length === 1 ? { text: key } : key === 'Enter' ? { text: '\r' } : {}) };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    await this.settle();
  }
  mouse(type, x, y, more = {}) {
    return this.send('Input.dispatchMouseEvent', { type, x, y, ...more });
  }
  /** A real click in the middle of an element, scrolled to first. */
  async click(selector) {
    const [x, y] = await this.run((s) => {
      const element = document.querySelector(s);
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const box = element.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    }, selector);
    await this.mouse('mouseMoved', x, y);
    await this.mouse('mousePressed', x, y, { button: 'left', clickCount: 1 });
    await this.mouse('mouseReleased', x, y, { button: 'left', clickCount: 1 });
    await this.settle();
  }
  async screenshot(path, whole = false) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
  async close() {
    await this.browser.send('Target.closeTarget', { targetId: this.targetId });
  }
}
