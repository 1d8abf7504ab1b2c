// The parts of the page that need no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast, darkStops, lightStops, luminance, mix, parseColour } from '../../web/src/colour';
import { Capacities, Frames, isActive, lastNotAbove, largestPermille, unpack, type Method, type ReportData } from '../../web/src/data';
import { compact, count, duration, figure, labelText, percent, seconds, splitLabel, tickText, ticks, withUnit } from '../../web/src/format';
import { distance2, extent, sides, widths } from '../../web/src/geometry';
import { rivalStyle } from '../../web/src/series_style';
import { sortMethods } from '../../web/src/sort';
import { positive, runningSums, slidingMean, intervalMaxima } from '../../web/src/thin';

test('figures have thousands apart and few digits', () => {
  assert.equal(figure(1234567.891), '1,234,568');
  assert.equal(figure(999.96), '1,000');
  assert.equal(figure(0.5), '0.5');
  assert.equal(figure(0.012345), '0.01235');
  assert.equal(figure(-12.5), '\u221212.5');
  assert.equal(figure(0), '0');
  assert.equal(figure(1.5e-7), '1.50e\u22127');
  assert.equal(figure(2.5e15), '2.50e15');
  for (const nothing of [null, undefined, NaN, Infinity]) assert.equal(figure(nothing), '\u2013');
});

test('a figure is within half a unit of its last digit', () => {
  for (let i = 1; i < 4000; ++i) {
    const value = Math.sin(i) * 10 ** ((i % 14) - 3);
    const text = figure(value, 5).replace('\u2212', '-').replace(/,/g, '').replace('\u2212', '-');
    assert.ok(Math.abs(Number(text) - value) <= Math.abs(value) * 6e-3, `${value} as ${text}`);
    if (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e12) {
      assert.ok(Math.abs(Number(text) - value) <= Math.max(0.5, Math.abs(value)) * 1e-4, `${value} as ${text}`);
    }
  }
});

test('shares, seconds, units and counts', () => {
  assert.equal(percent(0.98765), '98.8\u202f%');
  assert.equal(percent(0.00016, 2), '0.02\u202f%');
  assert.equal(percent(0.1, 2), '10.00\u202f%');
  assert.equal(percent(12.3456, 4), '1,234.5600\u202f%');
  assert.equal(percent(null), '\u2013');
  assert.equal(seconds(0.0000012), '1.2\u202f\u00b5s');
  assert.equal(seconds(0.0123), '12.3\u202fms');
  assert.equal(seconds(75), '75\u202fs');
  assert.equal(withUnit('5', 'veh/h'), '5\u202fveh/h');
  assert.equal(withUnit('\u2013', 'veh/h'), '\u2013');
  assert.equal(count(1, 'link'), '1 link');
  assert.equal(count(2950, 'link'), '2,950 links');
  assert.equal(duration(95), '1\u202fh 35\u202fmin');
  assert.equal(compact(-1500), '\u22121.5k');
  assert.equal(compact(20_000_000), '20M');
});

test('labels with a day and a time are split, others are left alone', () => {
  assert.deepEqual(splitLabel('Mon 08:15'), ['Mon', '08:15']);
  assert.deepEqual(splitLabel('2004-03-01T00:05:00Z'), ['2004-03-01', '00:05:00']);
  assert.equal(splitLabel('17'), null);
  assert.equal(labelText('2024-01-05T07:45:00Z'), 'Fri 5 Jan 07:45');
  assert.equal(labelText('Mon 08:15'), 'Mon 08:15');
  assert.equal(labelText('week 3'), 'week 3');
  assert.equal(tickText('2004-03-01 00:00', 288, 5), 'Mon 1 Mar');
});

test('marks stand on midnights where there are days, and are few', () => {
  const labels = Array.from({ length: 480 }, (_, i) => `d${Math.floor((i + 8) / 96)} ${String(Math.floor(((i + 8) % 96) / 4)).padStart(2, '0')}:${['00', '15', '30', '45'][i % 4]}`);
  const days = ticks(labels, 15, 0, 479, 6);
  assert.ok(days.length >= 4 && days.length <= 6);
  for (const at of days) assert.match(labels[at]!, / 00:00$/);
  assert.equal(tickText(labels[days[0]!], days[1]! - days[0]!, 15), 'd1');
  assert.equal(tickText(labels[4], 4, 15), '03:00');
  assert.deepEqual(ticks(['1', '2', '3'], 0, 0, 2, 5), [0, 1, 2]);
  const numbers = Array.from({ length: 288 }, (_, i) => String(i + 1));
  assert.deepEqual(ticks(numbers, 5, 0, 287, 6).map((at) => numbers[at]), ['50', '100', '150', '200', '250']);
  for (const n of [1, 2, 7, 100, 2016, 100_000]) {
    const marks = ticks(Array.from({ length: n }, (_, i) => String(i)), 0, 0, n - 1, 6);
    assert.ok(marks.length <= 8 && marks.every((at) => Number.isInteger(at) && at >= 0 && at < n), `${n}: ${marks}`);
  }
});

test('loads get steadily darker on light ground, lighter on dark ground', () => {
  for (const [stops, sign, ground] of [[lightStops, -1, '#ffffff'], [darkStops, 1, '#151a1e']] as const) {
    let before = luminance(mix(stops, 0));
    for (let i = 1; i <= 100; ++i) {
      const now = luminance(mix(stops, i / 100));
      assert.ok(sign * (now - before) > 0, `${stops} at ${i} %`);
      before = now;
    }
    // An empty link can still be seen; a full one cannot be missed.
    assert.ok(contrast(mix(stops, 0), parseColour(ground)) > 1.3);
    assert.ok(contrast(mix(stops, 1), parseColour(ground)) > 9);
    assert.ok(contrast(mix(stops, 0.5), parseColour(ground)) > 2.4);
  }
  assert.deepEqual(mix(lightStops, 7), parseColour(lightStops.at(-1)!));
});

test('contrast is that of WCAG', () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  assert.ok(Math.abs(contrast(parseColour('#767676'), [255, 255, 255]) - 4.54) < 0.01);
});

test('lines differ in more than colour', () => {
  const looks = Array.from({ length: 30 }, (_, i) => rivalStyle(i));
  const all = new Set(looks.map((style) => JSON.stringify(style)));
  assert.equal(all.size, 30);
  const first = new Set(looks.slice(0, 5).map((style) => `${style.dash} ${style.mark}`));
  assert.equal(first.size, 5, 'the first five differ without their colours');
});

test('thinning keeps every maximum', () => {
  const series = Array.from({ length: 1000 }, (_, i) => Math.sin(i * i));
  for (const places of [1, 7, 333, 1000, 2500]) {
    const thin = intervalMaxima(series, places);
    assert.equal(thin.length, places);
    assert.equal(Math.max(...(thin as number[])), Math.max(...series));
    for (const value of thin) assert.ok(series.includes(value as number));
  }
  assert.deepEqual(intervalMaxima([null, 2, null, null], 2), [2, null]);
  assert.deepEqual(runningSums([1, null, 2]), [1, 1, 3]);
  assert.deepEqual(positive([0, 1, -1, null]), [null, 1, null, null]);
});

const small = {
  network: {
    nodes: { name: ['a', 'b', 'c', 'alone'], x: [0, 3, 0, 99], y: [0, 4, 2, 99] },
    links: { name: ['ab', 'ba', 'ac', 'ac#2'], from: [0, 1, 0, 0], to: [1, 0, 2, 2], capacity: [4, 1, 1, 9] },
  },
  frames: { periods: [0, 4, 8], permille: 'AAAAAAAA' + 'ABABABAB' + 'P///BAAA' },
  events: [
    { period: 6, text: 'open', link: 1, capacity: 1 },
    { period: 2, text: 'shut', link: 1, capacity: 0 },
    { period: 3, text: 'rain', link: null, capacity: null },
  ],
} as unknown as ReportData;

test('a sliding mean covers the newest turns and forgets the others', () => {
  assert.deepEqual(slidingMean([1e20, 2, 4, 6], [10, 20, 30, 40], 20), [1e20, 5e19 + 1, 3, 5]);
  assert.deepEqual(slidingMean([1, null, undefined, 5, null, null], [1, 2, 3, 4, 5, 9], 2), [1, 1, undefined, 5, 5, null]);
  assert.deepEqual(slidingMean([3, 1], [1, 2], 1), [3, 1]);
  assert.deepEqual(slidingMean([], [], 5), []);
});

test('frames are unpacked, and a period sees the newest that is not in its future', () => {
  assert.deepEqual([...unpack('AAABBA//')], [0, 1, 64, largestPermille]);
  const frames = new Frames(small);
  assert.equal(frames.at(0)!.period, 0);
  assert.equal(frames.at(3)!.period, 0);
  assert.equal(frames.at(4)!.period, 4);
  assert.equal(frames.at(100)!.period, 8);
  assert.deepEqual([...frames.at(8)!.permille], [15 * 64 + 63, largestPermille, 64, 0]);
  assert.equal(lastNotAbove([], 3), -1);
  assert.equal(lastNotAbove([5], 3), -1);
});

test('capacities follow events in the order of time', () => {
  const capacities = new Capacities(small);
  assert.deepEqual([0, 2, 5, 6].map((period) => capacities.at(1, period)), [1, 0, 0, 1]);
  assert.deepEqual(capacities.changed(4), [1]);
  assert.deepEqual(capacities.changed(7), []);
  assert.equal(capacities.at(0, 99), 4);
});

test('an alarm is on from its period until it is cleared', () => {
  const alarm = { period: 3, cleared: 5, kind: '', subject: '', text: '' };
  assert.deepEqual([2, 3, 4, 5].map((period) => isActive(alarm, period)), [false, true, true, false]);
  assert.ok(isActive({ ...alarm, cleared: null }, 1000));
});

test('directions part, parallel links lie side by side, wider means more', () => {
  assert.deepEqual([...sides(small.network)], [0.5, 0.5, -0.5, 0.5]);
  assert.deepEqual(extent(small.network), { left: 0, right: 3, low: 0, high: 4 });
  const wide = widths([1, 4, 9]);
  assert.ok(wide[0]! < wide[1]! && wide[1]! < wide[2]!);
  assert.equal(widths([5, 5])[0], widths([5, 5])[1]);
  assert.equal(distance2(0, 5, -3, 0, 3, 0), 25);
  assert.equal(distance2(6, 4, -3, 0, 3, 0), 25);
});

test('methods sort by number or by name, the unknown last either way', () => {
  const methods = [{ label: 'b', churn: 10 }, { label: 'a', churn: null }, { label: 'c', churn: 9 }] as Method[];
  assert.deepEqual(sortMethods(methods, 'churn', false).map((m) => m.label), ['c', 'b', 'a']);
  assert.deepEqual(sortMethods(methods, 'churn', true).map((m) => m.label), ['b', 'c', 'a']);
  assert.deepEqual(sortMethods(methods, 'label', true).map((m) => m.label), ['c', 'b', 'a']);
});
