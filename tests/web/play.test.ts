// The parts of a game's report that need no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim } from '../../web/src/data';
import { claimsByPlayer, describePlay, held, lastKnown, lateMedian, windowText, type Path, type PlayData } from '../../web/src/play_data';
import { playKpis } from '../../web/src/play_kpis';
import { cloudFrame, countInside, cover, inTriangle, leaps, Placement, spread } from '../../web/src/plot_area';
import { floored, sharedSpan } from '../../web/src/thin';
import { nearest, periodTimeline, roundMarks, roundTimeline } from '../../web/src/timeline';

test('marks of rounds are round numbers, and few', () => {
  assert.deepEqual(roundMarks(1, 5000, 6), [1000, 2000, 3000, 4000, 5000]);
  assert.deepEqual(roundMarks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
  assert.deepEqual(roundMarks(0.1, 0.5, 5), [0.1, 0.2, 0.3, 0.4, 0.5]);
  assert.deepEqual(roundMarks(3, 3, 5), [3]);
  for (const span of [1e-7, 0.03, 1, 17, 999, 1e9]) {
    for (const most of [2, 5.5, 13]) {
      const marks = roundMarks(-span / 3, span, most);
      assert.ok(marks.length >= 1 && marks.length <= most + 1, `${span} ${most}: ${marks}`);
      assert.ok(marks.every((mark) => mark >= -span / 3 - 1e-6 * span && mark <= span * (1 + 1e-6)));
    }
  }
  assert.deepEqual(roundTimeline([1, 2, 3]).marks(1, 3, 10), [1, 2, 3], 'there is no round 1.5');
});

test('rounds stand at their numbers, periods at their places', () => {
  const rounds = roundTimeline([1, 501, 1500]);
  assert.deepEqual(rounds.labels, ['1', '501', '1,500']);
  assert.deepEqual(rounds.at, [1, 501, 1500]);
  assert.equal(rounds.markText(1000, 500), '1,000');
  const periods = periodTimeline({ labels: ['a', 'b'], minutes: 5 });
  assert.deepEqual(periods.at, [0, 1]);
  assert.equal(periods.markText(1, 1), 'b');
});

test('the nearest place of a value', () => {
  const at = [1, 10, 100];
  for (const [value, place] of [[-5, 0], [1, 0], [5, 0], [6, 1], [54, 1], [56, 2], [1e9, 2]] as const) assert.equal(nearest(at, value), place, String(value));
  assert.equal(nearest([], 3), 0);
});

test('what was seen now and then is held, and never known before', () => {
  assert.deepEqual(held([1, 2, 3, 4, 5, 9], [2, 4], [7, null]), [null, 7, 7, null, null, null]);
  assert.deepEqual(held([1, 2], [], []), [null, null]);
});

test('the last known value and the late median', () => {
  assert.deepEqual(lastKnown([1, 2, null]), { value: 2, place: 1 });
  assert.equal(lastKnown([null]), null);
  const swinging = Array.from({ length: 100 }, (_, i) => (i < 90 ? 1000 : i));
  assert.equal(lateMedian(swinging), 95);
  assert.equal(lateMedian([null]), null);
});

test('what a gap looks back on, in words', () => {
  assert.equal(windowText([{ window: 10 }, { window: 10 }]), 'the last 10 plays');
  assert.equal(windowText([{ window: 1 }]), 'the last play');
  assert.equal(windowText([{ window: 5 }, { window: 20 }]), 'the last 5 to 20 plays');
  assert.equal(windowText([{ window: 19.97 }]), 'the last 20.0 plays');
  assert.equal(windowText([{ window: 0 }]), 'each player\u2019s window');
  assert.equal(windowText([{ window: 0 }, { window: 3 }]), 'each player\u2019s window');
});

test('a play in words; trifles below 0 are 0', () => {
  const path = { triangle: true, axes: ['rock', 'paper', 'scissors'], x: [0.5, 0.750001, null], y: [0.25, 0.25, 1] } as unknown as Path;
  assert.equal(describePlay(path, 0), 'rock 0.25 \u00b7 paper 0.5 \u00b7 scissors 0.25');
  assert.equal(describePlay(path, 1), 'rock 0 \u00b7 paper 0.75 \u00b7 scissors 0.25');
  assert.equal(describePlay(path, 2), '\u2013');
  assert.equal(describePlay({ ...path, triangle: false, axes: ['a', '', ''] }, 0), 'a 0.5 \u00b7 x2 0.25');
});

test('shares lie in the triangle, pure ones at its corners', () => {
  assert.deepEqual(inTriangle(0, 0), [0, 0]);
  assert.deepEqual(inTriangle(1, 0), [1, 0]);
  assert.deepEqual(inTriangle(0, 1), [0.5, Math.sqrt(3) / 2]);
  const [x, y] = inTriangle(1 / 3, 1 / 3);
  assert.ok(Math.abs(x - 0.5) < 1e-12 && Math.abs(y - Math.sqrt(3) / 6) < 1e-12);
});

test('a frame covers what is known, with room', () => {
  assert.deepEqual(cover([{ x: [0, 10, null], y: [0, 20, 99] }], 0.1), { left: -1, right: 11, low: -2, high: 22 });
  assert.deepEqual(cover([]), { left: 0, right: 1, low: 0, high: 1 });
  for (const value of [0, 7, -3]) {
    const frame = cover([{ x: [value], y: [value] }]);
    assert.ok(frame.left < value && value < frame.right && frame.low < value && value < frame.high);
  }
});

test('the data decide on the frame of clouds, not what flies away', () => {
  const none = { x: [], y: [] };
  const cloud = { x: [0, 100], y: [0, 0], round: 1, modes: 0, quality: 0, divergence: 0 };
  const frame = cloudFrame({ real: { x: [-1, 1], y: [-1, 1] }, centres: none, clouds: [cloud] });
  assert.ok(frame.right < 2);
  assert.deepEqual(countInside(cloud, frame), { inside: 1, outside: 1 });
  assert.ok(cloudFrame({ real: none, centres: none, clouds: [cloud] }).right > 100);
});

test('points fall on the canvas, up is up, and a unit may be as long both ways', () => {
  const box = { x: 10, y: 20, width: 200, height: 100 };
  const stretched = new Placement({ left: 0, right: 2, low: 0, high: 2 }, box);
  assert.deepEqual([stretched.x(0), stretched.x(2), stretched.y(0), stretched.y(2)], [10, 210, 120, 20]);
  const equal = new Placement({ left: 0, right: 2, low: 0, high: 2 }, box, true);
  assert.deepEqual([equal.x(0), equal.x(2), equal.y(0), equal.y(2)], [60, 160, 120, 20]);
});

test('leaping paths are distinguished from wandering ones', () => {
  const angles = Array.from({ length: 200 }, (_, i) => i);
  assert.equal(leaps(angles.map((a) => Math.cos(0.02 * a)), angles.map((a) => Math.sin(0.02 * a))), false);
  assert.equal(leaps(angles.map((a) => Math.cos(2 * a)), angles.map((a) => Math.sin(2 * a))), true);
  assert.equal(leaps([1], [1]), false);
});

test('stills are spread from the first to the last', () => {
  assert.deepEqual(spread(25, 6), [0, 5, 10, 14, 19, 24]);
  assert.deepEqual(spread(3, 6), [0, 1, 2]);
  assert.deepEqual(spread(1, 6), [0]);
  assert.deepEqual(spread(0, 6), []);
});

test('a shared axis has whole decades, and rounding errors do not widen it', () => {
  assert.deepEqual(sharedSpan([[0.02, null], [3]]), [0.01, 10]);
  assert.deepEqual(sharedSpan([[1]]), [1, 10]);
  assert.deepEqual(sharedSpan([[1e-17, 0.5]]), [1e-8, 1]);
  assert.equal(sharedSpan([[null]]), undefined);
  assert.deepEqual(sharedSpan([[0, null]]), [0.1, 1], 'zeros alone have an axis too');
  assert.deepEqual(sharedSpan([[0.02, 0], [3]]), [0.001, 10], 'zeros get a decade of their own, at the foot');
  assert.deepEqual(floored([0.02, 0, -1e-9, null], 0.001), [0.02, 0.001, 0.001, null]);
});

test('claims that hold of a player are put behind its name, others are in sight', () => {
  const claim = (id: string, verdict = 'holds'): Claim => ({ id, verdict, statement: '', left: null, right: null, explanation: '' });
  const claims = [claim('G1'), claim('row C1'), claim('row C2', 'violated'), claim('column C1'), claim('rower C1')];
  const { game, parts } = claimsByPlayer(claims, ['row', 'column', 'idle'], ({ verdict }) => verdict === 'holds');
  assert.deepEqual(game.map(({ id }) => id), ['G1', 'row C2', 'rower C1']);
  assert.deepEqual(parts.map(({ name, claims: own }) => [name, own.length]), [['row', 1], ['column', 1]]);
});

test('key figures say what is smoothed and what is not', () => {
  const data = {
    rounds: [1, 5, 9], gap: [1, 0.5, 0.25], gapBound: [null, 1, 0.3], instantGap: [1, 2, 3],
    gains: { rounds: [5], values: [1.5], exact: false }, players: [{ window: 4 }], centres: { x: [0, 1], y: [0, 1] },
    clouds: [{ round: 9, x: [], y: [], modes: 1, quality: 0.25, divergence: 0.69 }],
  } as unknown as PlayData;
  const kpis = new Map(playKpis(data).map(({ name, value, help }) => [name, `${value}; ${help}`]));
  assert.equal(kpis.get('Smoothed gap at the end'), '0.25; over the last 4 plays; proved: at most 0.3');
  assert.equal(kpis.get('Gap of the last play alone'), '3; median of the last tenth: 3');
  assert.match(kpis.get('Exploitability of the last play')!, /^\u2265\u202f1\.5; what local/);
  assert.match(kpis.get('Modes covered')!, /^1 of 2;/);
  assert.equal(playKpis({ ...data, gap: [], gapBound: [], instantGap: [], gains: { rounds: [], values: [], exact: true }, clouds: [] }).length, 0);
});
