// Alarms and events in the order they came; a click moves the page to their period.
import type { Clock } from './clock';
import { isActive, type Alarm, type ReportData } from './data';
import { h, panel } from './dom';
import { count, duration, labelText } from './format';

const shownAtFirst = 60;

interface Entry { period: number; alarm: Alarm | null; kind: string; subject: string; text: string }

function lasted(alarm: Alarm, data: ReportData): string {
  if (alarm.cleared === null) return 'not cleared';
  const periods = alarm.cleared - alarm.period;
  return data.periods.minutes > 0 ? duration(periods * data.periods.minutes) : count(periods, 'period');
}

export function logPanel(data: ReportData, clock: Clock): HTMLElement {
  const { network, periods } = data;
  const entries: Entry[] = [
    ...data.alarms.map((alarm) => ({ period: alarm.period, alarm, kind: alarm.kind, subject: alarm.subject, text: alarm.text })),
    ...data.events.map((event) => ({
      period: event.period, alarm: null, kind: 'event', text: event.text,
      subject: event.link === null ? '' : network.links.name[event.link]!,
    })),
  ].sort((a, b) => a.period - b.period);

  const list = h('ol.log');
  const items: [Entry, HTMLElement][] = entries.map((entry) => [entry, h('li', { class: entry.alarm ? 'alarm' : 'event' },
    h('button', { type: 'button', click: () => clock.go(entry.period) },
      h('span.when', {}, labelText(periods.labels[entry.period] ?? '')),
      h('span.kind', {}, h('i', { 'aria-hidden': 'true' }, entry.alarm ? '\u25b2' : '\u25c6'), entry.kind),
      h('span.what', {}, entry.subject ? h('b', {}, entry.subject) : null, entry.subject ? ' ' : null, entry.text),
      h('span.lasted', {}, entry.alarm ? lasted(entry.alarm, data) : '')))]);
  list.append(...items.slice(0, shownAtFirst).map(([, item]) => item));
  const more = items.length > shownAtFirst
    ? h('button.more', { type: 'button', click: () => { list.append(...items.slice(shownAtFirst).map(([, item]) => item)); more!.remove(); } },
      `Show all ${items.length}`)
    : null;

  clock.listen((period) => {
    for (const [entry, item] of items) {
      const now = entry.alarm ? isActive(entry.alarm, period) : entry.period === period;
      item.classList.toggle('now', now);
      if (now) item.setAttribute('aria-current', 'time');
      else item.removeAttribute('aria-current');
    }
  });
  const note = entries.length === 0 ? 'None in this run.' : `${count(data.alarms.length, 'alarm')}, ${count(data.events.length, 'event')}. Click to go there.`;
  return panel('log', 'Alarms and events', note, entries.length ? list : null, more);
}
