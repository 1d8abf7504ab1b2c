// The report of a game.
import { Clock } from './clock';
import { h } from './dom';
import { certificatePanel, settingsPanel, verdictSign } from './findings';
import { count } from './format';
import { cloudPanel } from './cloud_panel';
import { kpiStrip, masthead } from './head';
import { pathPanel } from './path_panel';
import { cloudCharts, gapChart, playerCharts } from './play_charts';
import { playBar } from './play_bar';
import { claimsByPlayer, type PlayData } from './play_data';
import { playKpis } from './play_kpis';
import { roundTimeline } from './timeline';

const playersAtFirst = 6;

function findingsPanel(findings: string[]): HTMLElement | null {
  if (findings.length === 0) return null;
  return h('section.findings', { 'aria-label': 'Findings' }, h('ul', {}, ...findings.map((finding) => h('li', {}, finding))));
}

function playersPart(cards: HTMLElement[]): HTMLElement | null {
  if (cards.length === 0) return null;
  const [first, rest] = [cards.slice(0, playersAtFirst), cards.slice(playersAtFirst)];
  return h('div.players', {}, h('div.player-list', {}, ...first),
    rest.length ? h('details', {}, h('summary', {}, `${count(rest.length, 'more player')}`), h('div.player-list', {}, ...rest)) : null);
}

/** The claims of the game, and all that fail; claims that hold for a player stand behind its name. */
function certificate(data: PlayData): HTMLElement | null {
  const { game, parts } = claimsByPlayer(data.claims, data.players.map((player) => player.name), (claim) => verdictSign(claim.verdict).kind === 'good');
  return certificatePanel({ conclusion: '', claims: game }, parts);
}

export function playPage(data: PlayData): (HTMLElement | null)[] {
  const time = roundTimeline(data.rounds);
  const clock = new Clock(data.rounds.length);
  const gap = gapChart(data, time, clock);
  const pictures = [
    ...(data.clouds.length ? [cloudPanel(data, clock)] : []),
    ...data.paths.map((path, i) => pathPanel(path, i, data.rounds, clock)),
  ];
  // One picture stands beside the gap, several below it.
  const top = gap && pictures.length === 1
    ? [h('div.overview', {}, gap, pictures[0]!)]
    : [gap, pictures.length ? h('div', { class: `pictures ${pictures.length % 2 === 0 ? 'even' : 'odd'}` }, ...pictures) : null];
  const parts = [
    masthead(data.title, data.version, [data.subtitle], data.claims, data.sound),
    findingsPanel(data.findings),
    kpiStrip(playKpis(data)),
    h('main', {},
      ...top,
      data.clouds.length ? h('div.small-charts', {}, ...cloudCharts(data, time, clock)) : null,
      playersPart(playerCharts(data, time, clock)),
      h('div.halves', {}, certificate(data),
        settingsPanel({ command: data.command, settings: data.settings.filter(({ value }) => value !== '').map((setting) => ({ ...setting, isDefault: false })) }))),
    time.labels.length > 0 ? playBar(data, time, clock) : null,
  ];
  // Open at the end, with the result of the play.
  clock.go(data.rounds.length - 1);
  return parts;
}
