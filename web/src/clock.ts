// The period that the whole page shows. Parts that depend on it listen.
import { prefersLessMotion } from './dom';

type Listener = (period: number) => void;

export class Clock {
  private readonly listeners: Listener[] = [];
  private readonly playListeners: ((playing: boolean) => void)[] = [];
  private timer = 0;
  period = 0;

  constructor(public periods: number) {}

  get playing(): boolean {
    return this.timer !== 0;
  }
  listen(listener: Listener): void {
    this.listeners.push(listener);
    listener(this.period);
  }
  onPlay(listener: (playing: boolean) => void): void {
    this.playListeners.push(listener);
  }
  go(period: number): void {
    const next = Math.min(Math.max(Math.round(period), 0), Math.max(0, this.periods - 1));
    if (next === this.period) return;
    this.period = next;
    for (const listener of this.listeners) listener(next);
  }
  /** Sets the number of periods; their values may have changed. */
  grow(periods: number, period: number): void {
    this.periods = periods;
    this.period = Math.min(Math.max(period, 0), Math.max(0, periods - 1));
    for (const listener of this.listeners) listener(this.period);
  }
  /** Plays the whole run in about a minute; slowly, period by period, if the user wants no motion. */
  play(): void {
    this.pause();
    if (this.period >= this.periods - 1) this.go(0);
    const calm = prefersLessMotion.matches;
    const step = calm ? 1 : Math.max(1, Math.round(this.periods / 600));
    const pause = calm ? 700 : Math.max(80, (60_000 * step) / this.periods);
    this.timer = window.setInterval(() => {
      this.go(this.period + step);
      if (this.period >= this.periods - 1) this.pause();
    }, pause);
    for (const listener of this.playListeners) listener(true);
  }
  pause(): void {
    if (!this.playing) return;
    window.clearInterval(this.timer);
    this.timer = 0;
    for (const listener of this.playListeners) listener(false);
  }
}
