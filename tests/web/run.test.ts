// What a live page does with turns, events and lost connections, without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alarmsInOrder, withAlarm, type RunAlarm, type RunData } from '../../web/src/run_data';
import { Feed, Gone, type Source, type Surroundings } from '../../web/src/run_feed';
import { Grid, merged } from '../../web/src/run_grid';
import { Rate, RunModel } from '../../web/src/run_model';
import { BucketSeries, meanOfAll, meanSince, mostBuckets, mostRaw, Tail, type SeriesData } from '../../web/src/run_series';
import { ago, byField, difference, freeName, largestFirst, refusals } from '../../web/src/run_words';

const none = (channels: number): SeriesData => {
  const columns = (): [][] => Array.from({ length: channels }, () => []);
  return { first: [], last: [], known: columns(), mean: columns(), least: columns(), most: columns(), latest: columns() };
};

function played(turns: number, value: (turn: number) => (number | null)[], series = new BucketSeries(none(value(1).length))): BucketSeries {
  for (let turn = 1; turn <= turns; ++turn) series.add(turn, value(turn));
  return series;
}

test('a turn a bucket, until there are 1024', () => {
  const series = played(1024, (turn) => [turn / 2]);
  assert.equal(series.buckets, 1024);
  assert.deepEqual([series.first[1023], series.last[1023]], [1024, 1024]);
  assert.deepEqual([series.columns[0]!.mean[6], series.columns[0]!.least[6], series.columns[0]!.most[6]], [3.5, 3.5, 3.5]);
});

test('then neighbours are joined, and a bucket covers twice as many', () => {
  // Fixed numbers, as src/store/series.cpp comes to them: see tests/store/page_data_test.cpp.
  const series = played(1027, (turn) => [turn, turn === 1 || turn % 10 === 0 ? null : 2 * turn]);
  assert.equal(series.buckets, 514);
  assert.deepEqual([series.first[0], series.last[0], series.first[512], series.last[512], series.first[513], series.last[513]], [1, 2, 1025, 1026, 1027, 1027]);
  const [one, two] = series.columns as [BucketSeries['columns'][0], BucketSeries['columns'][0]];
  assert.deepEqual([one.mean[0], one.least[0], one.most[0], one.latest[0], one.known[0]], [1.5, 1, 2, 2, 2]);
  assert.deepEqual([two.mean[0], two.least[0], two.most[0], two.latest[0], two.known[0]], [4, 4, 4, 4, 1]);
  assert.deepEqual([two.mean[4], two.least[4], two.most[4], two.latest[4], two.known[4]], [18, 18, 18, 18, 1]); // 9 and 10
  assert.deepEqual([two.mean[512], two.latest[512], two.mean[513], two.latest[513]], [2051, 2052, 2054, 2054]);
});

test('a million turns in at most 1024 buckets, with every one of them counted', () => {
  const series = played(1_000_000, (turn) => [turn % 7, Math.sin(turn)]);
  assert.ok(series.buckets <= mostBuckets && series.buckets >= mostBuckets / 2, String(series.buckets));
  assert.deepEqual([series.first[0], series.turn], [1, 1_000_000]);
  for (let b = 1; b < series.buckets; ++b) assert.equal(series.first[b], series.last[b - 1]! + 1);
  assert.equal(series.columns[0]!.known.reduce((a, b) => a + b, 0), 1_000_000);
  let sum = 0;
  for (let turn = 1; turn <= 1_000_000; ++turn) sum += turn % 7;
  assert.ok(Math.abs(meanOfAll(series, 0)! - sum / 1_000_000) < 1e-9);
  assert.deepEqual([series.columns[0]!.least[3], series.columns[0]!.most[3]], [0, 6]);
});

test('events after page data give the same as events alone', () => {
  const value = (turn: number): (number | null)[] => [turn % 13, turn % 3 === 0 ? null : turn / 8];
  const whole = played(5000, value);
  const half = played(3333, value);
  const data: SeriesData = { first: half.first, last: half.last, known: half.columns.map((c) => c.known), mean: half.columns.map((c) => c.mean), least: half.columns.map((c) => c.least), most: half.columns.map((c) => c.most), latest: half.columns.map((c) => c.latest) };
  const on = new BucketSeries(data);
  for (let turn = 3334; turn <= 5000; ++turn) on.add(turn, value(turn));
  assert.deepEqual([on.first, on.last], [whole.first, whole.last]);
  on.columns.forEach((column, c) => {
    const other = whole.columns[c]!;
    assert.deepEqual([column.known, column.least, column.most, column.latest], [other.known, other.least, other.most, other.latest]);
    column.mean.forEach((mean, b) => assert.ok(mean === other.mean[b] || Math.abs(mean! - other.mean[b]!) < 1e-9));
  });
});

test('unknown numbers and numbers that are not finite are left out', () => {
  const series = new BucketSeries(none(1));
  series.add(1, [null]);
  series.add(2, [NaN]);
  series.add(3, [5]);
  assert.deepEqual(series.columns[0]!.mean, [null, null, 5]);
  assert.deepEqual(series.columns[0]!.known, [0, 0, 1]);
});

test('the tail holds the last turns, without a hole', () => {
  const tail = new Tail(1);
  for (let turn = 1; turn <= 5000; ++turn) tail.add(turn, [turn]);
  assert.ok(tail.turns.length <= mostRaw && tail.turns.length >= 500, String(tail.turns.length));
  assert.equal(tail.turn, 5000);
  tail.add(4999, [0]);
  assert.equal(tail.columns[0]!.at(-1), 5000);
  tail.add(5002, [5002]);
  assert.deepEqual([tail.turns, tail.columns[0]], [[5002], [5002]]);
});

test('means since a turn: of all of them where they were seen, else of buckets that begin after it', () => {
  const model = new RunModel(data(3000)); // buckets of four
  // The first that begins after 1001 begins at 1005.
  assert.deepEqual(meanSince(model.series, 0, 1001), { mean: 2002.5, from: 1005, to: 3000 });
  assert.equal(model.since(1001), null);
  assert.equal(meanSince(model.since(3000)!, 0, 3000).mean, null); // from now on
  model.add(turnsEvent(3001, 3003));
  assert.deepEqual(meanSince(model.since(3000)!, 0, 3000), { mean: 3002, from: 3001, to: 3003 });
  assert.deepEqual(model.since(3001)!.columns[0]!.mean, [3002, 3003]); // from the tail
  for (let turn = 3004; turn <= 9000; turn += 500) model.add(turnsEvent(turn, turn + 499));
  const since = model.since(3000)!;
  assert.ok(since.buckets <= mostBuckets && since.columns[0]!.known.reduce((a, b) => a + b, 0) === model.turn - 3000);
  assert.equal(meanSince(since, 0, 3000).mean, (3001 + model.turn) / 2);
  model.take(data(20000), true); // turns were missed
  assert.equal(model.since(3000), null);
});

test('turns a second, over five seconds', () => {
  const rate = new Rate();
  assert.equal(rate.at(0), null);
  for (let k = 0; k <= 40; ++k) rate.note(k / 4, 25 * k);
  assert.equal(rate.at(10), 100);
  assert.equal(rate.at(16), 0);
  assert.ok(rate.points.length >= 8 && rate.points.every((point) => point.rate === 100));
  rate.interrupt();
  assert.equal(rate.at(10), null);
});

const data = (turn: number, more: Partial<RunData> = {}): RunData => {
  const series = played(turn, (t) => [t]);
  return {
    kind: 'run', run: 'learn', title: 't', version: '', command: '', created: '', id: 'a', settings: [], channels: ['loss'],
    state: { turn, saved: 0, folded: 0, finished: false, status: 'running', message: '' },
    series: { first: series.first, last: series.last, known: series.columns.map((c) => c.known), mean: series.columns.map((c) => c.mean), least: series.columns.map((c) => c.least), most: series.columns.map((c) => c.most), latest: series.columns.map((c) => c.latest) },
    alarms: [], certificate: null, decision: null, scenery: null, picture: null, live: { url: '/v1/learners/a' }, forks: [], ...more,
  };
};

class FakeSource implements Source {
  listeners = new Map<string, (event: { data?: string }) => void>();
  closed = false;
  constructor(readonly url: string) {}
  addEventListener(kind: string, listener: (event: { data?: string }) => void): void {
    this.listeners.set(kind, listener);
  }
  close(): void {
    this.closed = true;
  }
  say(kind: string, body?: unknown): void {
    this.listeners.get(kind)!({ data: JSON.stringify(body) });
  }
}

/** A service that obeys the test, and a clock that stands still. */
function service(pages: (() => RunData)[], stored: (() => { turn: number; figures: Record<string, number | null> }[])[] = []) {
  const sources: FakeSource[] = [];
  const waiting: { seconds: number; action: () => void }[] = [];
  const asked: string[] = [];
  const around: Surroundings = {
    source: (url) => { const source = new FakeSource(url); sources.push(source); return source; },
    page: async (url) => { asked.push(url); return (pages.shift() ?? (() => { throw new Error('down'); }))(); },
    turns: async (url) => { asked.push(url); return (stored.shift() ?? (() => []))(); },
    now: () => 0,
    later: (seconds, action) => void waiting.push({ seconds, action }),
  };
  const tick = async (): Promise<void> => { for (let i = 0; i < 5; ++i) await Promise.resolve(); };
  return { sources, waiting, asked, around, tick };
}
const turnsEvent = (first: number, last: number) => ({ first, last, figures: Array.from({ length: last - first + 1 }, (_, i) => [first + i]) });
const counted = (model: RunModel): number => model.series.columns[0]!.known.reduce((a, b) => a + b, 0);

test('events are added once, whatever comes twice', () => {
  const { sources, around } = service([]);
  const model = new RunModel(data(10));
  const feed = new Feed(model, '/r', around, () => {});
  feed.start();
  sources[0]!.say('open');
  assert.equal(feed.status, 'live');
  assert.equal(sources[0]!.url, '/r/events?after=0');
  sources[0]!.say('turns', turnsEvent(1, 10)); // one by one, for the tail alone
  sources[0]!.say('turns', turnsEvent(9, 12));
  sources[0]!.say('turns', turnsEvent(13, 13));
  assert.deepEqual([model.turn, counted(model), model.tail.turns.length, model.state.turn], [13, 13, 13, 13]);
});

test('missed turns: the page is asked for again, and nothing is doubled', async () => {
  const { sources, around, asked, tick } = service([() => data(40)]);
  const model = new RunModel(data(10));
  const feed = new Feed(model, '/r', around, () => {});
  feed.start();
  sources[0]!.say('turns', turnsEvent(20, 30));
  assert.deepEqual([model.turn, asked], [10, ['/r/page']]);
  sources[0]!.say('turns', turnsEvent(31, 35)); // it is asked for already
  await tick();
  assert.deepEqual([model.turn, counted(model), asked.length], [40, 40, 1]);
  sources[0]!.say('turns', turnsEvent(36, 45));
  assert.deepEqual([model.turn, counted(model)], [45, 45]);
});

test('a lost connection is taken up again where it stopped', async () => {
  const { sources, waiting, around, tick } = service([() => { throw new Error('down'); }, () => data(25)]);
  const model = new RunModel(data(10));
  const feed = new Feed(model, '/r', around, () => {});
  feed.start();
  sources[0]!.say('open');
  sources[0]!.say('turns', turnsEvent(11, 20));
  sources[0]!.say('error');
  assert.deepEqual([feed.status, sources[0]!.closed, waiting.map((w) => w.seconds)], ['reconnecting', true, [0.5]]);
  waiting.pop()!.action();
  await tick();
  assert.deepEqual([feed.status, feed.trouble, sources.length, waiting.map((w) => w.seconds)], ['reconnecting', 'down', 1, [1]]);
  waiting.pop()!.action();
  await tick();
  assert.deepEqual([sources.length, sources[1]!.url, model.turn], [2, '/r/events?after=20', 20]);
  sources[1]!.say('open');
  sources[1]!.say('turns', turnsEvent(21, 26));
  assert.deepEqual([feed.status, model.turn, counted(model), model.tail.turns.length], ['live', 26, 26, 16]);
  sources[0]!.say('turns', turnsEvent(27, 30)); // of the connection that is gone
  assert.equal(model.turn, 26);
});

test('after a long absence the series is taken whole', async () => {
  const { sources, waiting, around, tick } = service([() => data(3000)]);
  const model = new RunModel(data(10));
  new Feed(model, '/r', around, () => {}).start();
  sources[0]!.say('error');
  waiting.pop()!.action();
  await tick();
  assert.deepEqual([model.turn, counted(model), sources[1]!.url], [3000, 3000, '/r/events?after=2500']);
  const later = data(9000);
  sources[1]!.say('series', { series: later.series, turn: 9000 });
  assert.deepEqual([model.turn, counted(model)], [9000, 9000]);
});

test('a run that lost turns, or another one in its place, is shown as it is', async () => {
  const { sources, waiting, around, tick } = service([() => data(15), () => data(3, { id: 'b' })]);
  const model = new RunModel(data(10));
  new Feed(model, '/r', around, () => {}).start();
  sources[0]!.say('turns', turnsEvent(11, 20));
  sources[0]!.say('state', { ...model.state, turn: 15 });
  await tick();
  assert.deepEqual([model.turn, counted(model), model.tail.turns.length], [15, 15, 0]);
  sources[0]!.say('error');
  waiting.pop()!.action();
  await tick();
  assert.deepEqual([model.turn, counted(model), model.data.id], [3, 3, 'b']);
});

test('a fork that is gone is let go', async () => {
  const { sources, waiting, around, tick } = service([() => { throw new Gone('no such learner'); }]);
  const feed = new Feed(new RunModel(data(10)), '/r', around, () => {});
  feed.start();
  sources[0]!.say('error');
  waiting.pop()!.action();
  await tick();
  assert.deepEqual([feed.status, waiting.length], ['gone', 0]);
});

test('a certificate that was on its way does not turn the clock back', async () => {
  const { sources, around, tick } = service([() => data(12, { certificate: { conclusion: 'c', sound: true, claims: [] } })]);
  const model = new RunModel(data(10));
  const feed = new Feed(model, '/r', around, () => {});
  feed.start();
  sources[0]!.say('open');
  const refreshed = feed.refresh();
  sources[0]!.say('turns', turnsEvent(11, 20));
  await refreshed;
  await tick();
  assert.deepEqual([model.turn, model.state.turn, model.certified, counted(model), model.data.certificate?.conclusion], [20, 20, 12, 20, 'c']);
});

test('alarms: open ones first, a cleared one takes its own place', () => {
  const alarm = (id: number, turn: number, cleared: number | null): RunAlarm => ({ id, turn, cleared, kind: 'k', subject: 's', text: '' });
  const alarms = [alarm(1, 5, 9), alarm(2, 6, null), alarm(3, 7, null)];
  assert.deepEqual(alarmsInOrder(alarms).map((a) => a.id), [3, 2, 1]);
  const after = withAlarm(alarms, alarm(3, 7, 12));
  assert.deepEqual(alarmsInOrder(after).map((a) => a.id), [2, 3, 1]);
  assert.equal(after.length, 3);
});

test('a fork lies beside its run on one axis', () => {
  assert.deepEqual(merged([[1, 3, 5], [2, 3, 4]]), [1, 2, 3, 4, 5]);
  const parent = new RunModel(data(2000)); // buckets of two
  const fork = new RunModel(data(1200, { id: 'f' }));
  const grid = new Grid([{ name: 'this run', model: parent, begun: 0 }, { name: 'f', model: fork, begun: 1000 }], 'fork');
  assert.ok(grid.at[0]! > 1000);
  const values = grid.values(1, 0, 'latest');
  assert.deepEqual(values.filter((v) => v !== undefined && v !== null), fork.series.last.filter((turn) => turn > 1000));
  const held = grid.held(values);
  assert.equal(held[held.length - 1], 1200);
  const raw = new Grid([{ name: 'this run', model: parent, begun: 0 }], 'raw');
  assert.ok(raw.at.length <= 500);
});

test('times ago and differences as people read them', () => {
  assert.deepEqual([0.4, 59.9, 125, 3661, -3].map(ago), ['0\u202fs', '59\u202fs', '2\u202fmin 5\u202fs', '1\u202fh 1\u202fmin', '0\u202fs']);
  assert.deepEqual([0, 4e-5, 0.031, -0.3, 12.5].map(difference), ['same', 'same', '+3.1\u202f%', '\u221230\u202f%', '+1,250\u202f%']);
});

test('what a service refuses, sentence by sentence, and where it belongs', () => {
  assert.deepEqual(refusals(404, '{"error":{"status":404,"message":"there is no learner"}}'), ['there is no learner']);
  assert.deepEqual(refusals(400, '{"error":{"message":"not a name; expected 1 to 40 of a-z","field":"name"}}'), ['name: not a name; expected 1 to 40 of a-z']);
  assert.deepEqual(refusals(400, '{"error":{"message":"a\\nb","violations":["window: a","no such link"]}}'), ['window: a', 'no such link']);
  assert.deepEqual(refusals(502, '<html>bad gateway</html>'), ['the service answered with status 502']);
  assert.deepEqual(refusals(503, 'busy'), ['busy']);
  const { fields, rest } = byField(['window: too small', "unknown link 'A-B'", '--max-steps: 0 is not allowed', 'windows are fine'], ['window', 'max-steps']);
  assert.deepEqual([...fields], [['window', 'window: too small'], ['max-steps', '--max-steps: 0 is not allowed']]);
  assert.deepEqual(rest, ["unknown link 'A-B'", 'windows are fine']);
  assert.equal(freeName(['what-if-1', 'what-if-3']), 'what-if-2');
});

test('the largest coordinates first, zeros left out', () => {
  assert.deepEqual(largestFirst([0.5, -2, 0, null, 1]), [{ name: '2', value: -2 }, { name: '5', value: 1 }, { name: '1', value: 0.5 }]);
  assert.deepEqual(largestFirst([1, 2], ['a', 'b']).map(({ name }) => name), ['b', 'a']);
});

test('turns one by one are asked for where events did not bring them', async () => {
  const past = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => ({ turn: first + i, figures: { loss: first + i } }));
  const { sources, around, asked, tick } = service([], [() => past(2501, 3000), () => past(1, 3)]);
  const model = new RunModel(data(3000));
  const feed = new Feed(model, '/r', around, () => {});
  feed.start();
  sources[0]!.say('open');
  void feed.recall(500);
  await tick();
  assert.deepEqual([asked, model.tail.turns.length, model.tail.turns[0], model.tail.turn], [['/r/turns?first=2501&last=3000&limit=500'], 500, 2501, 3000]);
  sources[0]!.say('turns', turnsEvent(3001, 3010));
  assert.deepEqual([model.tail.turns.length, model.tail.columns[0]!.at(-1), model.lacking(500)], [510, 3010, null]);
  assert.deepEqual(model.lacking(600), [2411, 2500]);
  void feed.recall(600); // what comes does not lead up to it
  await tick();
  assert.equal(model.tail.turns[0], 2501);
});

test('sums of a fork begin where those of its run stand', () => {
  const parent = new RunModel(data(2000));
  const mark = parent.since(2000);
  assert.ok(mark);
  parent.add(turnsEvent(2001, 2100)); // the channel is its own turn: 2000 when the fork began
  const restarted = new RunModel({ ...data(100), id: 'f', series: { ...data(100).series, first: data(100).series.first.map((t) => t + 2000), last: data(100).series.last.map((t) => t + 2000) } });
  const continued = new RunModel(data(2100, { id: 'g' }));
  const runs = [{ name: 'this run', model: parent, begun: 0 }, { name: 'f', model: restarted, begun: 2000 }, { name: 'g', model: continued, begun: 2000 }];
  assert.deepEqual([0, 1, 2].map((run) => new Grid(runs, 'all').shift(run, 0)), [-0, 2000, 0]);
  assert.deepEqual([0, 1, 2].map((run) => new Grid(runs, 'fork').shift(run, 0)), [-2000, 0, -2000]);
  for (let turn = 2101; turn < 9000; turn += 100) parent.add(turnsEvent(turn, turn + 99));
  assert.equal(parent.valueAt(0, 2000), 2000); // still exactly
});
