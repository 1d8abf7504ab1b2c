// The service, started and stopped by a test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Service {
  port = 0;
  /** Of the scenario learners.toml in the folder. */
  constructor(program, folder) {
    Object.assign(this, { program, folder });
  }
  async start() {
    this.process = spawn(this.program, ['serve', 'learners.toml', '--port', String(this.port), '--store-folder', this.folder], { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const pipe of [this.process.stdout, this.process.stderr]) pipe.on('data', (piece) => (said += piece));
    for (let tries = 0; tries < 200; ++tries) {
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
      if (found) return void (this.port = Number(found[1]));
      if (this.process.exitCode !== null) break;
      await wait(50);
    }
    throw new Error(`serve did not start: ${said}`);
  }
  async stop(signal = 'SIGTERM') {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const over = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    await over;
  }
  async ask(method, path, body) {
    const reply = await fetch(`http://127.0.0.1:${this.port}${path}`, { method, ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}) });
    const text = await reply.text();
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text.slice(0, 400)}`);
    return JSON.parse(text);
  }
}
