// The data of a game's report, as src/play/play_report.hpp writes them.
import { lastNotAbove, type Claim, type Series } from './data';
import { figure } from './format';

export interface Columns { x: Series; y: Series }

export interface Player {
  name: string;
  set: string;
  learner: string;
  window: number; // number of plays in its gap; 0: not known
  dimension: number;
  gap: Series;
  bound: Series;
  instant: Series;
  cost: Series;
}

export interface Path extends Columns {
  title: string;
  triangle: boolean; // x and y are the second and third of three shares
  axes: [string, string, string];
  range: [number, number, number, number]; // all 0: that of the plays
  rounds: number[];
}

export interface Cloud extends Columns {
  round: number;
  modes: number | null;
  quality: number | null;
  divergence: number | null;
}

export interface PlayData {
  kind: 'play';
  title: string;
  subtitle: string;
  version: string;
  command: string;
  settings: { name: string; value: string }[];
  rounds: number[];
  gap: Series;
  gapBound: Series;
  instantGap: Series;
  gains: { rounds: number[]; values: Series; exact: boolean };
  players: Player[];
  paths: Path[];
  real: Columns;
  centres: Columns;
  clouds: Cloud[];
  claims: Claim[];
  findings: string[];
  sound: boolean;
}

/** The values at `rounds` of a series known at `seen` only: the newest one up to each round. */
export function held(rounds: number[], seen: number[], values: Series): Series {
  return rounds.map((round) => values[lastNotAbove(seen, round)] ?? null);
}

/** The last value that is known, and its place. */
export function lastKnown(series: Series): { value: number; place: number } | null {
  for (let place = series.length - 1; place >= 0; --place) {
    const value = series[place];
    if (value !== null && value !== undefined) return { value, place };
  }
  return null;
}

/** The median of the last tenth, because the last value of a swinging series is arbitrary. */
export function lateMedian(series: Series): number | null {
  const late = series.slice(Math.floor(series.length * 0.9)).filter((value): value is number => value !== null).sort((a, b) => a - b);
  return late.length ? late[late.length >> 1]! : null;
}

/** "the last 10 plays": the window of the gaps in words. */
export function windowText(players: { window: number }[]): string {
  const windows = [...new Set(players.map((player) => player.window))];
  const one = windows.length === 1 ? windows[0]! : 0;
  if (one === 1) return 'the last play';
  if (one > 0) return `the last ${Number.isInteger(one) ? one : one.toPrecision(3)} plays`;
  return windows.length > 1 && !windows.includes(0)
    ? `the last ${Math.min(...windows)} to ${Math.max(...windows)} plays`
    : 'each player\u2019s window';
}

/** A play in words. */
export function describePlay(path: Path, at: number): string {
  const [x, y] = [path.x[at], path.y[at]];
  if (x === null || y === null || x === undefined || y === undefined) return '\u2013';
  const values = path.triangle ? [1 - x - y, x, y] : [x, y];
  // Shares that were rounded on their way here may leave a trifle below 0.
  return values.map((value, i) => `${path.axes[i] || `x${i + 1}`} ${figure(path.triangle && Math.abs(value) < 1e-5 ? 0 : value, 3)}`).join(' \u00b7 ');
}

/** Claims that begin with a player's name and that `hold`, by player; all others are about the game. */
export function claimsByPlayer(claims: Claim[], names: string[], hold: (claim: Claim) => boolean): { game: Claim[]; parts: { name: string; claims: Claim[] }[] } {
  const of = (claim: Claim): string | undefined => names.find((name) => claim.id.startsWith(`${name} `));
  const parts = names.map((name) => ({ name, claims: claims.filter((claim) => hold(claim) && of(claim) === name) }));
  return { game: claims.filter((claim) => !hold(claim) || of(claim) === undefined), parts: parts.filter((part) => part.claims.length > 0) };
}
