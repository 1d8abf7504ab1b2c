// The present network of a run.
import { Clock } from './clock';
import { largestPermille, type ReportData } from './data';
import { mapPanel } from './map_panel';
import type { RunPicture } from './run_data';

export class RunMap {
  readonly element: HTMLElement;
  private readonly clock = new Clock(1);
  private permille: Uint16Array | null = null;
  private closed = new Set<number>();

  constructor(network: ReportData['network'], pick: (link: number) => void) {
    const usual = (link: number): number => network.links.capacity[link]!;
    this.element = mapPanel({
      network,
      demandUnit: '',
      loads: { at: () => (this.permille ? { period: 0, permille: this.permille } : null) },
      capacities: {
        at: (link) => (this.closed.has(link) ? 0 : usual(link)),
        usual,
        changed: () => [...this.closed],
      },
      label: () => '',
      note: ' ',
      pick,
    }, this.clock);
    this.links = network.links.name.length;
  }
  private readonly links: number;

  show(picture: RunPicture | null): void {
    const { utilisation = [], closed = [], label = '', period } = picture ?? {};
    this.permille = utilisation.length === this.links
      ? Uint16Array.from(utilisation, (load) => Math.min(largestPermille, Math.max(0, Math.round(load ?? 0)))) : null;
    this.closed = new Set(closed.filter((link) => link < this.links));
    this.element.querySelector('.panel-head .note')!.textContent = this.permille
      ? `Loads of ${label || (period === undefined ? 'now' : `period ${period}`)}.` : 'No loads are known.';
    this.clock.grow(1, 0);
  }
}
