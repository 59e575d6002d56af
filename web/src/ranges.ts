// Numbers for people: ranges of colours, ticks, short texts.

export interface Range {
  lo: number;
  hi: number;
}

// A range that can be drawn: never empty.
export function widened(range: Range): Range {
  if (!Number.isFinite(range.lo) || !Number.isFinite(range.hi)) return { lo: 0, hi: 1 };
  if (range.hi > range.lo) return range;
  const half = Math.abs(range.lo) * 0.05 || 0.5;
  return { lo: range.lo - half, hi: range.hi + half };
}

// Round numbers within a range that cut it into about `count` parts.
export function ticks(range: Range, count: number): number[] {
  const { lo, hi } = widened(range);
  const raw = (hi - lo) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((f) => f * power >= raw * 0.999) ?? 10);
  const out: number[] = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9; ++k) out.push(k * step || 0);
  return out;
}

// At most so many digits that count, no exponent where a person would not write one.
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2)).replace('e+', 'e');
  return String(Number(value.toPrecision(digits)));
}

export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function duration(seconds: number): string {
  if (seconds < 99.5) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const s = Math.round(seconds);
  return s < 3600 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${Math.floor(s / 3600)} h ${Math.floor((s / 60) % 60)} min`;
}
