// The charts of a play. They keep two questions apart: how good the play is against the recent plays of the others,
// and how good it is against their present plays.
import { Chart, withValues, type ChartSpec, type Line } from './chart';
import type { Clock } from './clock';
import type { Series } from './data';
import { h, part } from './dom';
import { compact, count, figure, percent } from './format';
import { held, windowText, type PlayData, type Player } from './play_data';
import { boundStyle, primaryStyle, type LineStyle } from './series_style';
import { logSpec } from './log_spec';
import { sharedSpan } from './thin';
import type { Timeline } from './timeline';

const short = (value: number | null | undefined): string => figure(value, 3);
const instantStyle: LineStyle = { colour: '--hue-0', width: 1.25, dash: [], mark: 'none' };
const gainStyle: LineStyle = { colour: '--hue-2', width: 1.5, dash: [7, 3], mark: 'diamond' };

export function gapChart(data: PlayData, time: Timeline, clock: Clock): HTMLElement | null {
  const smoothed = { group: `Smoothed over ${windowText(data.players)}` };
  const alone = { group: 'Of this play alone' };
  const gains = held(data.rounds, data.gains.rounds, data.gains.values);
  const warning = data.gap.some((value) => value !== null)
    ? 'A small smoothed gap is no Nash equilibrium: it says that each play is nearly stationary against the rivals\u2019 recent plays together. '
      + 'Whether it is against the play they make now, the lines of this play alone say. '
    : '';
  const [spec] = withValues([logSpec('chart-gap', 'Equilibrium gap', `The gap is the largest stationarity gap of any player. ${warning}Log scale.`,
    sharedSpan([data.gap, data.gapBound, data.instantGap, gains]), [
      { name: 'gap of this play', style: instantStyle, values: data.instantGap, ...alone },
      { name: data.gains.exact ? 'exploitability' : 'exploitability, at least', style: gainStyle, values: gains, stepped: true, ...alone },
      { name: 'smoothed gap', style: { ...primaryStyle, width: 1.75 }, values: data.gap, ...smoothed },
      { name: 'its proved bound', style: boundStyle, values: data.gapBound, ...smoothed },
    ])]);
  return spec ? new Chart(time, clock, spec).element : null;
}

function gapSpec(player: Player, place: number, span: [number, number] | undefined): ChartSpec {
  return logSpec(`chart-gap-${place}`, 'Stationarity gap', 'Log scale, shared by all players.', span, [
    { name: 'of this play alone', style: instantStyle, values: player.instant },
    { name: `over ${windowText([player])}`, style: { ...primaryStyle, width: 1.75 }, values: player.gap },
    { name: 'its proved bound', style: boundStyle, values: player.bound },
  ]);
}

/** A card for each player: its name, its stationarity gaps, its cost. */
export function playerCharts(data: PlayData, time: Timeline, clock: Clock): HTMLElement[] {
  const span = sharedSpan(data.players.flatMap((player) => [player.gap, player.bound, player.instant]));
  return data.players.map((player, place) => {
    const specs = withValues([
      gapSpec(player, place, span),
      {
        id: `chart-cost-${place}`, title: 'Cost', note: 'Of what was played.', format: short,
        lines: [{ name: 'cost', style: { ...primaryStyle, width: 1.5 }, values: player.cost }],
      },
    ]);
    const facts = [player.set, player.dimension > 0 ? count(player.dimension, 'coordinate') : '', player.learner].filter(Boolean);
    return h('section.panel.player', { 'aria-labelledby': `player-${place}` },
      h('header.panel-head', {}, h('h2', { id: `player-${place}` }, player.name), h('p.note', {}, facts.join(' \u00b7 '))),
      h('div.player-charts', {}, ...specs.map((spec) => new Chart(time, clock, spec, part).element)));
  });
}

/** Modes, quality and divergence of the points of a generator. */
export function cloudCharts(data: PlayData, time: Timeline, clock: Clock): HTMLElement[] {
  if (data.clouds.length === 0) return [];
  // Points made after the last round belong to it.
  const last = data.rounds[data.rounds.length - 1] ?? 0;
  const seen = data.clouds.map((cloud) => Math.min(cloud.round, last));
  const line = (name: string, values: Series): Line[] => [{ name, style: primaryStyle, values: held(data.rounds, seen, values), stepped: true }];
  const modes = data.centres.x.length;
  return withValues([
    {
      id: 'chart-modes', title: 'Modes covered', note: modes ? `Of ${modes}.` : '', floor: 0, format: short,
      axis: (value) => (Number.isInteger(value) ? String(value) : ''),
      ...(modes ? { reference: { value: modes, text: 'all' } } : {}),
      lines: line('modes', data.clouds.map((cloud) => cloud.modes)),
    },
    {
      id: 'chart-quality', title: 'High quality', note: 'Share of what is generated that is close to a mode.', floor: 0,
      format: (value) => percent(value), axis: (value) => `${compact(value * 100)}%`,
      lines: line('share', data.clouds.map((cloud) => cloud.quality)),
    },
    {
      id: 'chart-divergence', title: 'Reverse KL', note: 'Over the modes; 0 where each gets its share.', floor: 0, format: short,
      lines: line('reverse KL', data.clouds.map((cloud) => cloud.divergence)),
    },
  ]).map((spec) => new Chart(time, clock, spec).element);
}
