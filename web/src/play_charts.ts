// The charts of a play. Two questions are kept apart everywhere: how good the play is against what the others played
// lately, and how good it is against what they play now.
import { Chart, withValues, type ChartSpec, type Line } from './chart';
import type { Clock } from './clock';
import type { Series } from './data';
import { h, part } from './dom';
import { compact, count, figure, percent } from './format';
import { held, windowText, type PlayData, type Player } from './play_data';
import { floorStyle, leadStyle, type LineStyle } from './series_style';
import { positive, sharedSpan } from './thin';
import type { Timeline } from './timeline';

const short = (value: number | null | undefined): string => figure(value, 3);
const instantStyle: LineStyle = { colour: '--hue-0', width: 1.25, dash: [], mark: 'none' };
const gainStyle: LineStyle = { colour: '--hue-2', width: 1.5, dash: [7, 3], mark: 'diamond' };

/** On a logarithmic axis; the legend tells zeros too. */
function logLine(name: string, style: LineStyle, values: Series, more: Partial<Line> = {}): Line {
  return { name, style, values: positive(values), told: values, ...more };
}

/** What a logarithmic axis does not show. */
function missing(lines: Line[]): string {
  return lines.some((line) => line.told?.includes(0)) ? ' Breaks in a line are zeros.' : '';
}

export function gapChart(data: PlayData, time: Timeline, clock: Clock): HTMLElement | null {
  const smoothed = { group: `Smoothed over ${windowText(data.players)}` };
  const alone = { group: 'Of this play alone' };
  const lines = [
    logLine('smoothed gap', { ...leadStyle, width: 1.75 }, data.gap, smoothed),
    logLine('its proved bound', floorStyle, data.gapBound, smoothed),
    logLine('gap of this play', instantStyle, data.instantGap, alone),
    logLine(data.gains.exact ? 'exploitability' : 'exploitability, at least', gainStyle,
      held(data.rounds, data.gains.rounds, data.gains.values), { ...alone, stepped: true }),
  ];
  const warning = data.gap.some((value) => value !== null)
    ? 'A small smoothed gap is no Nash equilibrium: it says that each play is nearly stationary against the rivals\u2019 recent plays together. '
      + 'Whether it is against the play they make now, the lines of this play alone say. '
    : '';
  const span = sharedSpan(lines.map((line) => line.values));
  const [spec] = withValues([{
    id: 'chart-gap', title: 'Equilibrium gap', log: true, format: short, lines, ...(span ? { span } : {}),
    note: `The gap is the largest residual of any player. ${warning}Log scale.${missing(lines)}`,
  }]);
  return spec ? new Chart(time, clock, spec).element : null;
}

function residualSpec(player: Player, place: number, span: [number, number] | undefined): ChartSpec {
  const lines = [
    logLine(`over ${windowText([player])}`, { ...leadStyle, width: 1.75 }, player.residual),
    logLine('its proved bound', floorStyle, player.bound),
    logLine('of this play alone', instantStyle, player.instant),
  ];
  return {
    id: `chart-residual-${place}`, title: 'Residual', note: `Log scale, shared by all players.${missing(lines)}`, log: true,
    format: short, lines, ...(span ? { span } : {}),
  };
}

/** A card a player: who it is, its residuals, its cost. */
export function playerCharts(data: PlayData, time: Timeline, clock: Clock): HTMLElement[] {
  const span = sharedSpan(data.players.flatMap((player) => [player.residual, player.bound, player.instant]));
  return data.players.map((player, place) => {
    const specs = withValues([
      residualSpec(player, place, span),
      {
        id: `chart-cost-${place}`, title: 'Cost', note: 'Of what was played.', format: short,
        lines: [{ name: 'cost', style: { ...leadStyle, width: 1.5 }, values: player.cost }],
      },
    ]);
    const facts = [player.set, player.dimension > 0 ? count(player.dimension, 'coordinate') : '', player.learner].filter(Boolean);
    return h('section.panel.player', { 'aria-labelledby': `player-${place}` },
      h('header.panel-head', {}, h('h2', { id: `player-${place}` }, player.name), h('p.note', {}, facts.join(' \u00b7 '))),
      h('div.player-charts', {}, ...specs.map((spec) => new Chart(time, clock, spec, part).element)));
  });
}

/** Modes, quality and divergence of what a generator makes. */
export function cloudCharts(data: PlayData, time: Timeline, clock: Clock): HTMLElement[] {
  if (data.clouds.length === 0) return [];
  const seen = data.clouds.map((cloud) => cloud.round);
  const line = (name: string, values: Series): Line[] => [{ name, style: leadStyle, values: held(data.rounds, seen, values), stepped: true }];
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
