import { describe, expect, it } from 'vitest';
import { Cache } from '../src/cache';
import { mapColor } from '../src/colors';
import { actionOf, keys } from '../src/keys';
import { normalsOf, parseMessage, u16, u32, unpackPositions, unpackValues } from '../src/message';
import { Pace, rest, restingTicks } from '../src/pace';
import { count, duration, short, ticks, widened } from '../src/ranges';
import { Timeline } from '../src/timeline';

// A message as the server makes it.
function message(json: object, tables: Record<string, Uint8Array>): ArrayBuffer {
  let at = 0;
  const places: Record<string, [number, number]> = {};
  for (const [name, bytes] of Object.entries(tables)) {
    places[name] = [at, bytes.length];
    at += Math.ceil(bytes.length / 8) * 8;
  }
  let text = JSON.stringify({ ...json, tables: places });
  text = text.padEnd(Math.ceil(text.length / 8) * 8);
  const out = new Uint8Array(8 + text.length + at);
  out.set(new TextEncoder().encode('KNV1'));
  new DataView(out.buffer).setUint32(4, text.length, true);
  out.set(new TextEncoder().encode(text), 8);
  for (const [name, bytes] of Object.entries(tables)) out.set(bytes, 8 + text.length + places[name][0]);
  return out.buffer;
}

describe('messages', () => {
  const points = new Uint16Array([0, 32768, 65535, 0, 65535, 0, 0, 65534, 1, 2, 3, 65535]);
  const corners = new Uint32Array([0, 1, 2]);
  const buffer = message({ frame: 3 }, { points: new Uint8Array(points.buffer), triangles: new Uint8Array(corners.buffer) });

  it('are read back', () => {
    const m = parseMessage(buffer);
    expect(m.json.frame).toBe(3);
    expect([...u16(m.tables.get('points'))]).toEqual([...points]);
    expect([...u32(m.tables.get('triangles'))]).toEqual([0, 1, 2]);
    expect(u16(undefined).length).toBe(0);
  });
  it('that are cut short, or none, are refused', () => {
    for (let n = 0; n < buffer.byteLength; n += 7) expect(() => parseMessage(buffer.slice(0, n))).toThrow();
    expect(() => parseMessage(new ArrayBuffer(64))).toThrow('no message');
  });
  it('hold positions within the box', () => {
    const x = unpackPositions(points, { lo: [-1, 0, 2], hi: [1, 4, 3] });
    expect([...x.slice(0, 6)].map((a) => Number(a.toFixed(3)))).toEqual([-1, 2, 3, 1, 0, 2]);
  });
  it('hold values, and say where there is none', () => {
    const v = unpackValues(points, 10, 20);
    expect([v[0], v[1]]).toEqual([10, 20]);
    expect(v[2]).toBeNaN();
  });
  it('give normals that point outwards', () => {
    const n = normalsOf(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), corners);
    expect([...n]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });
});

describe('ranges', () => {
  it('are never empty', () => {
    expect(widened({ lo: 2, hi: 2 })).toEqual({ lo: 1.9, hi: 2.1 });
    expect(widened({ lo: 0, hi: 0 })).toEqual({ lo: -0.5, hi: 0.5 });
    expect(widened({ lo: NaN, hi: 1 })).toEqual({ lo: 0, hi: 1 });
  });
  it('have round ticks inside', () => {
    expect(ticks({ lo: 0, hi: 1 }, 4).map((t) => Number(t.toFixed(9)))).toEqual([0, 0.5, 1]);
    expect(ticks({ lo: -3, hi: 8 }, 5)).toEqual([0, 5]);
    for (const t of ticks({ lo: 1e-7, hi: 3e-7 }, 4)) expect(t).toBeLessThanOrEqual(3.0001e-7);
  });
  it('are written short', () => {
    expect([short(0), short(1234.5678), short(1e9), short(1e-9), short(NaN)]).toEqual(['0', '1235', '1.00e9', '1.00e-9', '–']);
    expect(count(1234567)).toBe('1\u202f234\u202f567');
    expect([duration(3.21), duration(200), duration(7500)]).toEqual(['3.2 s', '3 min 20 s', '2 h 5 min']);
  });
});

describe('colours', () => {
  it('run through the map and are grey for what is not a number', () => {
    const map: [number, number, number][] = [[0, 0, 0], [1, 0.5, 0]];
    expect(mapColor(map, 0.5)).toEqual([0.5, 0.25, 0]);
    expect(mapColor(map, 7)).toEqual([1, 0.5, 0]);
    expect(mapColor(map, NaN)).toEqual([0.3, 0.3, 0.3]);
  });
});

describe('keys', () => {
  it('do each one thing', () => {
    const all = keys.flatMap((k) => k.keys);
    expect(new Set(all).size).toBe(all.length);
    expect(actionOf({ key: ' ' })).toBe('play');
    expect(actionOf({ key: 'F' })).toBe('frameAll');
    expect(actionOf({ key: '?' })).toBe('help');
  });
  it('leave the browser and fields of text alone', () => {
    expect(actionOf({ key: 'r', ctrlKey: true })).toBeNull();
    const field = (tagName: string, type?: string) => ({ tagName, type }) as unknown as EventTarget;
    expect(actionOf({ key: 'g', target: field('INPUT', 'text') })).toBeNull();
    expect(actionOf({ key: 'g', target: field('INPUT', 'range') })).toBe('plot');
  });
});

describe('the timeline', () => {
  const made = () => {
    const t = new Timeline();
    t.setFrames([0, 1, 2, 3]);
    return t;
  };
  it('plays at the rate of the run and loops', () => {
    const t = made();
    t.toggle();
    expect(t.advance(0.02, 10)).toBe(false);
    expect(t.advance(0.09, 10)).toBe(true);
    expect(t.frame).toBe(1);
    t.advance(0.3, 10);
    expect(t.frame).toBe(0);
  });
  it('stops at the end without a loop', () => {
    const t = made();
    t.loop = false;
    t.toggle();
    t.advance(9, 10);
    expect([t.frame, t.playing]).toEqual([3, false]);
    t.toggle();
    expect(t.frame).toBe(0);
  });
  it('follows the newest frame, until a person looks elsewhere', () => {
    const t = made();
    t.toggleFollow();
    t.setFrames([0, 1, 2, 3, 4]);
    expect(t.frame).toBe(4);
    t.step(-2);
    t.setFrames([0, 1, 2, 3, 4, 5]);
    expect([t.frame, t.follow]).toEqual([2, false]);
  });
  it('stays within the frames that are left', () => {
    const t = made();
    t.seek(3);
    t.setFrames([0, 1]);
    expect(t.frame).toBe(1);
    t.setFrames([]);
    expect(t.frame).toBe(-1);
  });
  it('knows what comes next', () => {
    const t = made();
    t.seek(2);
    expect(t.upcoming(3)).toEqual([3, 0, 1]);
  });
});

describe('the cache', () => {
  it('forgets what was used last and stays within its bytes', () => {
    const c = new Cache<{ bytes: number }>(100);
    for (const k of ['a', 'b', 'c']) c.set(k, { bytes: 40 });
    expect([c.get('a'), c.size, c.bytes]).toEqual([undefined, 2, 80]);
    c.get('b');
    c.set('d', { bytes: 40 });
    expect(c.get('c')).toBeUndefined();
    expect(c.get('b')).toBeDefined();
  });
});

describe('pictures', () => {
  it('are drawn once for each change where the graphics card draws', () => {
    const pace = new Pace(2, false);
    expect([pace.due(0), pace.due(1)]).toEqual([2, null]);
    pace.touch();
    expect([pace.due(2), pace.due(3 + rest)]).toEqual([2, null]);
  });
  it('are coarse while they change and fine when they rest where the processor draws', () => {
    const pace = new Pace(1, true);
    expect(pace.due(0)).toBe(0.5);
    pace.touch();
    expect([pace.due(20), pace.due(40)]).toEqual([0.5, null]);
    const later = Array.from({ length: restingTicks }, (_, k) => pace.due(30 + rest + k));
    expect(later.filter((ratio) => ratio !== null)).toEqual([1]);
    pace.touch();
    expect([pace.due(2000), pace.due(4000)]).toEqual([0.5, null]); // the page is slow, not at rest
    pace.still();
    expect([pace.due(4001), pace.due(9000)]).toEqual([1, null]);
  });
});
