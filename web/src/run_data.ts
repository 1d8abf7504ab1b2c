// The data of a run's page, as src/store/page_data.cpp writes them. Turns are counted from 1.
import type { Claim, ReportData } from './data';
import type { SeriesData } from './run_series';

export interface Setting { name: string; value: string }

export interface RunState {
  turn: number;
  saved: number;
  folded: number;
  finished: boolean;
  status: 'running' | 'paused' | 'stopped' | 'failed';
  message: string;
}

export interface RunAlarm {
  id?: number;
  turn: number;
  cleared: number | null;
  kind: string;
  subject: string;
  text: string;
}

export interface RunFork { name: string; url: string; begun: number; settings: Setting[]; turn: number }

/** The present state of a route: permille of capacity for each link, and closed links. */
export interface RunPicture { period?: number; label?: string; utilisation?: (number | null)[]; closed?: number[] }

/** Of a run of learn, as it was when its state was saved last. */
export interface RunSummary {
  kind: string;
  rows: number;
  window: number; // of the newest rows
  members: string[]; // of an ensemble
  best_constant: number | null; // its mean loss
  previous_label: number | null;
  metrics: { name: string; all: number | null; recent: number | null }[];
}

export interface RunData {
  kind: 'run';
  run: 'learn' | 'route' | 'play' | 'fit';
  title: string;
  version: string;
  command: string;
  created: string;
  id: string;
  settings: Setting[];
  state: RunState;
  channels: string[];
  series: SeriesData;
  alarms: RunAlarm[];
  certificate: { conclusion: string; sound: boolean; claims: Claim[] } | null;
  decision: unknown;
  scenery: { network?: ReportData['network'] } | null;
  picture: RunPicture | null;
  summary?: RunSummary | null;
  live: { url: string } | null;
  forks: RunFork[];
}

/** Open ones first, the newest of each first. */
export function alarmsInOrder(alarms: RunAlarm[]): RunAlarm[] {
  const open = (alarm: RunAlarm): number => (alarm.cleared === null ? 0 : 1);
  return [...alarms].sort((a, b) => open(a) - open(b) || b.turn - a.turn);
}

/** With one more: a cleared alarm takes the place of the one that was raised. */
export function withAlarm(alarms: RunAlarm[], alarm: RunAlarm): RunAlarm[] {
  const same = (other: RunAlarm): boolean => (alarm.id !== undefined ? other.id === alarm.id
    : other.turn === alarm.turn && other.kind === alarm.kind && other.subject === alarm.subject);
  return [...alarms.filter((other) => !same(other)), alarm];
}
