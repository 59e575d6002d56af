// The colour map of the server, for shaders, meshes and style sheets.

export type Rgb = [number, number, number]; // linear

export function srgb(a: number): number {
  return a <= 0.0031308 ? 12.92 * a : 1.055 * a ** (1 / 2.4) - 0.055;
}

export function css(color: Rgb): string {
  return `rgb(${color.map((a) => Math.round(255 * Math.min(1, Math.max(0, srgb(a))))).join(',')})`;
}

export function gradient(map: Rgb[]): string {
  return `linear-gradient(to right, ${map.filter((_, i) => i % 7 === 0).map(css).join(', ')})`;
}

export const noValue: Rgb = [0.3, 0.3, 0.3];

export function mapColor(map: Rgb[], t: number): Rgb {
  if (!(t === t) || map.length === 0) return noValue;
  const at = Math.min(1, Math.max(0, t)) * (map.length - 1);
  const i = Math.min(map.length - 2, Math.floor(at));
  return [0, 1, 2].map((k) => map[i][k] + (at - i) * (map[i + 1][k] - map[i][k])) as Rgb;
}
