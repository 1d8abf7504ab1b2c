// The connection to the service: events, and page data whenever events were missed. It reconnects by itself.
import type { RunAlarm, RunData, RunPicture, RunState } from './run_data';
import { Rate, type RunModel, type TurnsEvent } from './run_model';
import type { SeriesData } from './run_series';

export interface Source {
  addEventListener(kind: string, listener: (event: { data?: string }) => void): void;
  close(): void;
}

/** Functions of the browser; tests have their own. */
export interface Surroundings {
  source(url: string): Source;
  page(url: string): Promise<RunData>;
  turns(url: string): Promise<{ turn: number; figures: Record<string, number | null> }[]>; // stored ones
  now(): number; // seconds
  later(seconds: number, action: () => void): void;
}

export class Gone extends Error {}

export type FeedStatus = 'connecting' | 'live' | 'reconnecting' | 'gone';

const replayed = 500; // turns that events bring once more, one by one
const pauses = [0.5, 1, 2, 4, 5]; // seconds between attempts

export class Feed {
  status: FeedStatus = 'connecting';
  trouble = ''; // result of the last attempt
  heard: number; // time of the last message
  lost: number | null = null; // time at which the connection was lost
  readonly rate = new Rate();
  private source: Source | null = null;
  private attempts = 0;
  private asking = false;
  private recalled = -1;

  constructor(
    readonly model: RunModel,
    readonly url: string,
    private readonly around: Surroundings,
    private readonly changed: () => void,
  ) {
    this.heard = around.now();
  }

  start(): void {
    // The turns that the page already has, once more, so that they are there one by one.
    this.listen(Math.max(0, this.model.turn - replayed));
  }
  stop(): void {
    this.status = 'gone';
    this.source?.close();
    this.source = null;
    this.changed();
  }

  /** Newer certificate, decision, forks and alarms; the series grow by events. */
  async refresh(): Promise<void> {
    if (this.status !== 'live' || this.asking) return;
    const data = await this.around.page(`${this.url}/page`).catch(() => null);
    if (!data || this.status !== 'live') return;
    // Turns were played that no event reported: the connection is dead without an error.
    if (data.state.turn > this.model.turn && this.around.now() - this.heard > 10) return this.drop();
    this.model.take(data, false);
    this.changed();
  }

  /** The last turns one by one, as far as the service still has them so. */
  async recall(turns: number): Promise<void> {
    const lacking = this.model.lacking(turns);
    if (this.status !== 'live' || !lacking || this.recalled === lacking[1]) return;
    const [first, last] = lacking;
    this.recalled = last; // asked for once
    const stored = await this.around.turns(`${this.url}/turns?first=${first}&last=${last}&limit=${turns}`).catch(() => []);
    if (this.model.recall(stored)) this.changed();
  }

  private listen(after: number): void {
    const source = (this.source = this.around.source(`${this.url}/events?after=${after}`));
    const on = <Data>(kind: string, take: (data: Data) => void): void => source.addEventListener(kind, (event) => {
      if (source !== this.source) return;
      this.heard = this.around.now();
      take(JSON.parse(event.data ?? 'null') as Data);
      this.changed();
    });
    source.addEventListener('open', () => {
      if (source !== this.source) return;
      this.heard = this.around.now();
      [this.status, this.attempts, this.trouble, this.lost] = ['live', 0, '', null];
      this.changed();
    });
    source.addEventListener('error', () => source === this.source && this.drop());
    on<TurnsEvent>('turns', (turns) => {
      if (!this.model.add(turns)) this.ask();
      else if (turns.last >= this.model.turn) this.rate.note(this.around.now(), this.model.turn);
    });
    on<{ series: SeriesData; turn: number }>('series', ({ series, turn }) => {
      this.model.replace(series, turn);
      this.rate.note(this.around.now(), turn);
    });
    on<RunState>('state', (state) => {
      this.model.setState(state);
      if (state.turn < this.model.turn) this.ask(); // it began again before turns that the page has
    });
    on<RunAlarm>('alarm', (alarm) => this.model.setAlarm(alarm));
    on<RunPicture>('picture', (picture) => this.model.setPicture(picture));
    on('fork', () => void this.refresh());
  }

  private drop(): void {
    this.source?.close();
    this.source = null;
    if (this.status === 'gone') return;
    this.status = 'reconnecting';
    this.lost ??= this.around.now();
    this.rate.interrupt();
    this.around.later(pauses[Math.min(this.attempts++, pauses.length - 1)]!, () => void this.comeBack());
    this.changed();
  }

  /** Page data first: they have the present turn. A few missed turns come as events, more do not. */
  private async comeBack(): Promise<void> {
    if (this.status !== 'reconnecting' || this.source) return;
    try {
      const before = this.model.turn;
      const same = this.model.data.id;
      const data = await this.around.page(`${this.url}/page`);
      const missed = data.state.turn - before;
      const continues = data.id === same && missed >= 0 && missed <= replayed;
      this.model.take(data, !continues);
      this.listen(continues ? before : Math.max(0, this.model.turn - replayed));
    } catch (error) {
      this.trouble = error instanceof Error ? error.message : String(error);
      if (error instanceof Gone) this.stop();
      else this.drop();
    }
    this.changed();
  }

  /** Turns are missing: asks for all data again. */
  private ask(): void {
    if (this.asking) return;
    this.asking = true;
    this.rate.interrupt();
    this.around.page(`${this.url}/page`)
      .then((data) => this.model.take(data, true), () => this.drop())
      .finally(() => {
        this.asking = false;
        this.changed();
      });
  }
}
