// Colours of loads. Their order shows in lightness alone, so that the scales work without colour vision and in
// print. Heavier loads are darker on light ground and lighter on dark ground, so that they always stand out.

export type Rgb = [number, number, number];

/** From an empty link to one at capacity. */
export const lightStops = ['#d3dbde', '#9fcbc4', '#4da3a6', '#2a6b98', '#2d1e62'];
export const darkStops = ['#34414a', '#336a8d', '#2f9a93', '#8acb6a', '#fbea5a'];

export function parseColour(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const linear = (channel: number): number => {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};

/** Relative luminance, as WCAG defines it. */
export function luminance([r, g, b]: Rgb): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** The colour at `share` of the way through the stops; beyond the ends, the ends. */
export function mix(stops: string[], share: number): Rgb {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const below = Math.min(Math.floor(at), stops.length - 2);
  const from = parseColour(stops[below]!);
  const to = parseColour(stops[below + 1]!);
  return from.map((channel, i) => Math.round(channel + (to[i]! - channel) * (at - below))) as Rgb;
}

export const css = ([r, g, b]: Rgb): string => `rgb(${r},${g},${b})`;

/** `steps` colours from empty to full. */
export function palette(dark: boolean, steps: number): string[] {
  const stops = dark ? darkStops : lightStops;
  return Array.from({ length: steps }, (_, i) => css(mix(stops, i / (steps - 1))));
}
