// A service made of paper: it speaks what the page of a run expects of `proxstream serve`, and does what a test tells it.
import { createServer } from 'node:http';

export const channels = {
  learn: ['loss', 'stationarity_gap', 'bound', 'tolerance', 'regret', 'regret_bound', 'variation', 'steps', 'gradients', 'seconds'],
  route: ['cost', 'demand', 'utilisation_max', 'churn', 'stationarity_gap', 'bound', 'tolerance', 'regret', 'regret_bound', 'steps', 'gradients', 'seconds'],
  play: ['gap', 'gap_bound', 'instant_gap', 'steps', 'gradients'],
  fit: ['objective', 'stationarity_gap', 'passes', 'step'],
};

/** Same every time, between 0 and 1. */
const draw = (turn, salt) => {
  const x = Math.sin(turn * 12.9898 + salt * 78.233) * 43758.5453;
  return x - Math.floor(x);
};

/** What a turn is like: a loss that drifts and jumps, gaps below their bounds. `better`: a fork's. */
export function figures(kind, turn, better = 1) {
  const drift = 1 + 0.5 * Math.sin(turn / 9000) + (Math.floor(turn / 40000) % 3 === 1 ? 0.6 : 0);
  const gap = better * 0.02 * (0.3 + draw(turn, 1)) * drift;
  const all = {
    loss: better * (0.4 * drift + 0.3 * draw(turn, 2)), cost: better * 1e4 * (drift + 0.2 * draw(turn, 2)), demand: 800 * drift + 50 * draw(turn, 3),
    utilisation_max: Math.min(1.4, 0.6 * drift + 0.15 * draw(turn, 4)), churn: draw(turn, 5) < 0.7 ? 0 : 3 * draw(turn, 6),
    stationarity_gap: gap, bound: gap * (1.05 + draw(turn, 7)) + 0.002, tolerance: 0.01, variation: 0.05 * draw(turn, 8) + 1e-5,
    regret: 3e-4 * turn * better, regret_bound: 8e-4 * turn, steps: draw(turn, 9) < 0.6 ? 0 : Math.ceil(6 * better * draw(turn, 10)),
    gradients: 32 + Math.floor(200 * draw(turn, 11)), seconds: 2e-5 * (1 + draw(turn, 12)) + (draw(turn, 13) < 0.0005 ? 3e-3 : 0),
    gap: 0.1 / (1 + turn / 100), gap_bound: 0.15 / (1 + turn / 100), instant_gap: 0.3 * draw(turn, 14),
    objective: 5 + 20 / (1 + turn / 8), passes: turn * 1.5, step: 0.1 / (1 + turn / 500),
  };
  return channels[kind].map((name) => all[name] ?? null);
}

/** The buckets a store would have after those turns, worked out on their own. */
export function seriesOf(kind, turns, better, first = 1) {
  let width = 1;
  while ((turns - first + 1) / width > 1024) width *= 2;
  const names = channels[kind];
  const empty = () => names.map(() => []);
  const series = { first: [], last: [], known: empty(), mean: empty(), least: empty(), most: empty(), latest: empty() };
  const short = (value) => (value === null ? null : Number(value.toPrecision(6)));
  for (let begin = first; begin <= turns; begin += width) {
    const end = Math.min(turns, begin + width - 1);
    series.first.push(begin);
    series.last.push(end);
    const cells = names.map(() => ({ known: 0, sum: 0, least: Infinity, most: -Infinity, latest: null }));
    for (let turn = begin; turn <= end; ++turn) {
      figures(kind, turn, better).forEach((value, c) => {
        if (value === null) return;
        const cell = cells[c];
        ++cell.known;
        cell.sum += value;
        cell.least = Math.min(cell.least, value);
        cell.most = Math.max(cell.most, value);
        cell.latest = value;
      });
    }
    cells.forEach((cell, c) => {
      series.known[c].push(cell.known);
      series.mean[c].push(cell.known ? short(cell.sum / cell.known) : null);
      series.least[c].push(cell.known ? short(cell.least) : null);
      series.most[c].push(cell.known ? short(cell.most) : null);
      series.latest[c].push(short(cell.latest));
    });
  }
  return series;
}

/** A ring of nodes with a hub: links both ways. */
function network(nodes = 9) {
  const place = (i) => (i === nodes ? [0, 0] : [Math.cos((2 * Math.PI * i) / nodes), Math.sin((2 * Math.PI * i) / nodes)]);
  const ends = [];
  for (let i = 0; i < nodes; ++i) for (const j of [(i + 1) % nodes, nodes]) ends.push([i, j], [j, i]);
  const names = Array.from({ length: nodes + 1 }, (_, i) => (i === nodes ? 'hub' : `n${i}`));
  return {
    nodes: { name: names, x: names.map((_, i) => place(i)[0]), y: names.map((_, i) => place(i)[1]) },
    links: { name: ends.map(([a, b]) => `${names[a]}-${names[b]}`), from: ends.map(([a]) => a), to: ends.map(([, b]) => b), capacity: ends.map(([a, b]) => (a === nodes || b === nodes ? 400 : 200)) },
  };
}

const claim = (id, statement, verdict, left, right, explanation = '') => ({ id, statement, verdict, left, right, explanation });

export class PaperRun {
  constructor(name, kind, turn, { begun = 0, settings = [], better = 1, parent = null } = {}) {
    Object.assign(this, { name, kind, turn, begun, better, parent, changed: settings });
    this.url = `/v1/learners/${name}`;
    this.status = 'running';
    this.message = '';
    this.network = kind === 'route' ? network() : null;
    this.closed = [];
    this.forgotten = 0; // what a process that was started again has no longer at hand
    this.listeners = new Set();
    this.forks = [];
    this.alarms = turn > 100 ? [
      { id: 1, turn: 40, cleared: 62, kind: 'stationarity gap', subject: '', text: 'gap above its tolerance for 16 turns' },
      { id: 2, turn: Math.floor(turn * 0.7), cleared: null, kind: 'refused', subject: 'record', text: 'a loss was not finite: the record was refused' },
    ] : [];
  }
  picture() {
    if (!this.network) return null;
    return { period: this.turn, label: `period ${this.turn}`, closed: this.closed, utilisation: this.network.links.name.map((_, l) => (this.closed.includes(l) ? 0 : Math.round(1150 * (0.15 + 0.85 * draw(l, 20)) * (0.85 + 0.15 * draw(this.turn, l))))) };
  }
  state() {
    return { turn: this.turn, saved: this.turn - (this.turn % 100), folded: 0, finished: false, status: this.status, message: this.message };
  }
  data(live = true) {
    const learner = [['window', '64'], ['tolerance', 'auto'], ['hysteresis', '0.5'], ['max-steps', '50']];
    const splits = { 'n0->n4': [{ path: ['n0-hub', 'hub-n4'], share: 0.8125 }, { path: ['n0-n1', 'n1-n2', 'n2-n3', 'n3-n4'], share: 0.1875 }], 'n2->n7': [{ path: ['n2-hub', 'hub-n7'], share: 1 }] };
    return {
      kind: 'run', run: this.kind, title: `${this.kind} ${this.name}`, version: '0.8.0', command: `proxstream ${this.kind} rows.csv --store ${this.name}.run`,
      created: '2024-05-01T08:00:00Z', id: `id-${this.name}`, settings: [...learner.map(([name, value]) => ({ name, value: this.changed.find((s) => s.name === name)?.value ?? value })), { name: 'durable', value: '100' }],
      state: this.state(), channels: channels[this.kind], series: seriesOf(this.kind, this.turn, this.better, this.begun + 1), alarms: this.alarms,
      certificate: this.turn === 0 ? null : {
        conclusion: `Over ${this.turn} turns the decisions stayed near-stationary: the local regret is at most 38 % of what was proved beforehand.`, sound: true,
        claims: [
          claim('C1', 'R_t <= (r_{t-1} + d_t) / w, in every round', 'holds', 0.0412, 0.0415),
          claim('C2', 'sum R_t^2 <= what the ledger adds up', 'holds', 3e-4 * this.turn, 8e-4 * this.turn),
          claim('C5', 'steps of a round', 'not promised', null, null, 'the inner solver is confirmed, not counted'),
        ],
      },
      decision: this.kind === 'route' ? { period: this.turn + 1, splits } : { turn: this.turn + 1, x: Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? 0 : Number(((draw(i, 30) - 0.5) * 4).toPrecision(6)))) },
      scenery: this.network ? { network: this.network } : null, picture: this.picture(), live: live ? { url: this.url } : null,
      forks: this.forks.map((fork) => fork.entry()),
    };
  }
  entry() {
    return { name: this.name, url: this.url, begun: this.begun, settings: this.changed, turn: this.turn };
  }
  listen(reply, after) {
    reply.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    reply.write('retry: 2000\n\n');
    this.listeners.add(reply);
    reply.on('close', () => this.listeners.delete(reply));
    this.tell(reply, 'state', this.state());
    if (this.turn - after > 512 || after > this.turn || after < this.forgotten) this.tell(reply, 'series', { series: seriesOf(this.kind, this.turn, this.better, this.begun + 1), turn: this.turn }, this.turn);
    else if (after < this.turn) this.tellTurns(reply, after + 1);
  }
  tell(reply, kind, body, id) {
    reply.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(body)}\n\n`);
  }
  tellTurns(reply, first) {
    const rows = [];
    for (let turn = Math.max(first, this.begun + 1); turn <= this.turn; ++turn) rows.push(figures(this.kind, turn, this.better));
    if (rows.length) this.tell(reply, 'turns', { first: Math.max(first, this.begun + 1), last: this.turn, figures: rows }, this.turn);
  }
  /** So many turns more; forks follow. `quiet`: no page gets an event. */
  play(turns, quiet = false) {
    const before = this.turn;
    this.turn += turns;
    if (!quiet) {
      for (const reply of this.listeners) {
        this.tellTurns(reply, before + 1);
        if (this.network) this.tell(reply, 'picture', this.picture());
      }
    }
    for (const fork of this.forks) fork.play(turns, quiet);
  }
  alarm(alarm) {
    this.alarms = [...this.alarms.filter((other) => other.id !== alarm.id), alarm];
    for (const reply of this.listeners) this.tell(reply, 'alarm', alarm);
  }
  setStatus(status, message = '') {
    Object.assign(this, { status, message });
    for (const reply of this.listeners) this.tell(reply, 'state', this.state());
  }
  cut() {
    for (const reply of this.listeners) reply.destroy();
  }
}

export class PaperService {
  runs = new Map();
  posted = [];
  asked = [];
  refusal = null; // what the next fork is answered with

  /** `page`: the report page with those data in it, as the service would send it. */
  constructor(page) {
    this.page = page;
  }
  add(run) {
    this.runs.set(run.name, run);
    return run;
  }
  async start(port = 0) {
    this.server = createServer((request, reply) => this.#answer(request, reply));
    await new Promise((resolve, reject) => this.server.once('error', reject).listen(port, '127.0.0.1', resolve));
    this.port = this.server.address().port;
    for (const run of this.runs.values()) run.forgotten = run.turn;
  }
  /** All at once, as a process that is killed. */
  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
  address(name) {
    return `http://127.0.0.1:${this.port}/?run=${name}`;
  }

  async #answer(request, reply) {
    const url = new URL(request.url, 'http://127.0.0.1');
    this.asked.push(`${request.method} ${url.pathname}`);
    const send = (status, body) => {
      reply.writeHead(status, { 'content-type': 'application/json' });
      reply.end(JSON.stringify(body));
    };
    if (url.pathname === '/') {
      reply.writeHead(200, { 'content-type': 'text/html' });
      return reply.end(this.page(this.runs.get(url.searchParams.get('run')).data()));
    }
    const [, name, rest] = /^\/v1\/learners\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
    const run = this.runs.get(name);
    if (!run) return send(404, { error: `there is no learner '${name}'` });
    if (rest === '/page') return send(200, run.data());
    if (rest === '/turns') {
      const rows = [];
      for (let turn = Number(url.searchParams.get('first')); turn <= Number(url.searchParams.get('last')); ++turn) {
        rows.push({ turn, figures: Object.fromEntries(figures(run.kind, turn, run.better).map((value, c) => [channels[run.kind][c], value])) });
      }
      return send(200, { turns: rows, next: null });
    }
    if (rest === '/events') return run.listen(reply, Number(request.headers['last-event-id'] ?? url.searchParams.get('after') ?? run.turn));
    if (request.method === 'DELETE') {
      for (const parent of this.runs.values()) parent.forks = parent.forks.filter((fork) => fork !== run);
      this.runs.delete(name);
      run.cut();
      return send(200, {});
    }
    if (rest === '/fork' && request.method === 'POST') {
      let text = '';
      for await (const piece of request) text += piece;
      const wanted = JSON.parse(text);
      this.posted.push(wanted);
      if (this.refusal) return send(...this.refusal);
      const settings = Object.entries(wanted.settings).map(([setting, value]) => ({ name: setting, value }));
      const fork = this.add(new PaperRun(wanted.name, run.kind, run.turn, { begun: run.turn, settings, better: 0.7, parent: run }));
      fork.closed = wanted.events.map(({ link }) => run.network.links.name.indexOf(link));
      run.forks.push(fork);
      for (const listener of run.listeners) run.tell(listener, 'fork', fork.entry());
      return send(201, fork.entry());
    }
    return send(404, { error: 'no such place' });
  }
}
