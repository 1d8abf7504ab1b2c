// The bar at the foot of a run's page: the turns in the charts, and the selected one.
import type { Clock } from './clock';
import { h } from './dom';
import { figure } from './format';
import { rawTurns, type View } from './run_grid';

export class RunBar {
  view: View = 'all';
  following = true; // the last turn is selected, and every new one
  private readonly slider: HTMLInputElement;
  private readonly label = h('output.now-label', { id: 'now', for: 'period' });
  private readonly place = h('span.now-place');
  private readonly buttons: [View, HTMLButtonElement][];
  readonly element: HTMLElement;

  constructor(private readonly clock: Clock, private readonly turnAt: (place: number) => number | undefined, changed: () => void) {
    this.slider = h('input', {
      type: 'range', id: 'period', min: 0, max: 0, step: 1, value: 0, 'aria-label': 'Turn',
      input: () => clock.go(Number(this.slider.value)),
    });
    const views: [View, string][] = [['all', 'all turns'], ['fork', 'since the fork'], ['raw', `last ${rawTurns}`]];
    this.buttons = views.map(([view, text]) => [view, h('button', {
      type: 'button', 'aria-pressed': String(view === 'all'), 'data-view': view, hidden: view === 'fork',
      click: () => {
        this.view = view;
        changed();
      },
    }, text)]);
    this.element = h('section.timebar.run-bar', { 'aria-label': 'Turns shown' },
      h('div.choice', { role: 'group', 'aria-label': 'Turns that charts show' }, ...this.buttons.map(([, button]) => button)),
      h('div.now', {}, this.label, this.place),
      h('div.track', {}, this.slider));
    clock.listen((place) => {
      this.following = place >= clock.periods - 1;
      this.slider.value = String(place);
      const turn = this.turnAt(place);
      this.label.textContent = turn === undefined ? 'no turn yet' : `turn ${figure(turn, 15)}`;
      this.slider.setAttribute('aria-valuetext', this.label.textContent);
      this.place.textContent = this.following ? 'the last' : 'looked at';
    });
  }

  /** Sets the number of places; the selected turn stays selected. */
  show(at: number[], place: number, forked: boolean): void {
    if (!forked && this.view === 'fork') this.view = 'all';
    for (const [view, button] of this.buttons) {
      button.setAttribute('aria-pressed', String(view === this.view));
      if (view === 'fork') button.hidden = !forked;
    }
    this.slider.max = String(Math.max(0, at.length - 1));
    this.clock.grow(at.length, place);
  }
}
