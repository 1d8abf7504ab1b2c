// One page for all reports; the kind stands in their data.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import type { ReportData } from './data';
import { h } from './dom';
import type { PlayData } from './play_data';
import { playPage } from './play_page';
import { routePage } from './route_page';
import type { RunData } from './run_data';
import { runPage } from './run_page';

type Data = ReportData | PlayData | RunData;

/** The data in the page; null if there are none. */
function readData(): Data | null {
  const place = document.getElementById('proxstream-data');
  return place ? (JSON.parse(place.textContent ?? 'null') as Data | null) : null;
}

const app = document.getElementById('app')!;
const data = readData();
if (data) {
  document.title = `${data.title} \u2013 proxstream`;
  const parts = data.kind === 'run' ? runPage(data) : data.kind === 'play' ? playPage(data) : routePage(data);
  app.replaceChildren(...parts.filter((part): part is HTMLElement => part !== null));
} else {
  app.replaceChildren(h('p.empty', {}, 'This is the empty report page: proxstream writes the data of a run into it.'));
}
