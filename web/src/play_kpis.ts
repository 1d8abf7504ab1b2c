// The key figures of a play, from its series.
import { figure, percent } from './format';
import type { Kpi } from './head';
import { lastKnown, lateMedian, windowText, type PlayData } from './play_data';

export function playKpis(data: PlayData): Kpi[] {
  const kpis: Kpi[] = [];
  const gap = lastKnown(data.gap);
  if (gap) {
    const bound = data.gapBound[gap.place] ?? null;
    kpis.push({
      name: 'Smoothed gap at the end', value: figure(gap.value, 3),
      help: `over ${windowText(data.players)}${bound === null ? '' : `; proved: at most ${figure(bound, 3)}`}`,
    });
  }
  const instant = lastKnown(data.instantGap);
  if (instant) {
    kpis.push({
      name: 'Gap of the last play alone', value: figure(instant.value, 3),
      help: `median of the last tenth: ${figure(lateMedian(data.instantGap), 3)}`,
    });
  }
  const gain = lastKnown(data.gains.values);
  if (gain) {
    kpis.push({
      name: 'Exploitability of the last play', value: (data.gains.exact ? '' : '\u2265\u202f') + figure(gain.value, 3),
      help: data.gains.exact ? 'what best responses to it would save, in all' : 'what local best responses to it would save, in all',
    });
  }
  const cloud = data.clouds[data.clouds.length - 1];
  if (cloud) {
    const modes = data.centres.x.length;
    kpis.push({ name: 'Modes covered', value: modes ? `${figure(cloud.modes)} of ${modes}` : figure(cloud.modes), help: 'at the end' });
    kpis.push({ name: 'High quality', value: percent(cloud.quality), help: `of what is generated; reverse KL ${figure(cloud.divergence, 3)}` });
  }
  return kpis;
}
