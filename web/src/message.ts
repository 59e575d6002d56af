// Messages as the server sends them: "KNV1", the length of a JSON text, the text, tables of numbers.

export interface BodyRange {
  body: number;
  first: number;
  count: number;
  radius: number; // [m]
}

export interface Box {
  lo: [number, number, number];
  hi: [number, number, number];
}

export interface Message {
  json: Record<string, any>;
  tables: Map<string, Uint8Array<ArrayBuffer>>;
  bytes: number;
}

export function parseMessage(buffer: ArrayBuffer): Message {
  if (buffer.byteLength < 8) throw new Error('the message is cut short');
  const head = new DataView(buffer);
  const magic = String.fromCharCode(...new Uint8Array(buffer, 0, 4));
  if (magic !== 'KNV1') throw new Error('this is no message of knead');
  const length = head.getUint32(4, true);
  if (8 + length > buffer.byteLength) throw new Error('the message is cut short');
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const tables = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [name, [at, bytes]] of Object.entries<[number, number]>(json.tables ?? {})) {
    if (8 + length + at + bytes > buffer.byteLength) throw new Error('the message is cut short');
    tables.set(name, new Uint8Array(buffer, 8 + length + at, bytes));
  }
  return { json, tables, bytes: buffer.byteLength };
}

export function u16(table: Uint8Array<ArrayBuffer> | undefined): Uint16Array<ArrayBuffer> {
  return table ? new Uint16Array(table.buffer, table.byteOffset, table.byteLength / 2) : new Uint16Array();
}

export function u32(table: Uint8Array<ArrayBuffer> | undefined): Uint32Array<ArrayBuffer> {
  return table ? new Uint32Array(table.buffer, table.byteOffset, table.byteLength / 4) : new Uint32Array();
}

export function boxOf(json: any): Box | null {
  return json ? { lo: json[0], hi: json[1] } : null;
}

// Positions of packed points [m], three numbers each.
export function unpackPositions(packed: Uint16Array, box: Box): Float32Array {
  const count = packed.length / 4;
  const out = new Float32Array(3 * count);
  const scale = [0, 1, 2].map((k) => (box.hi[k] - box.lo[k]) / 65535);
  for (let i = 0; i < count; ++i)
    for (let k = 0; k < 3; ++k) out[3 * i + k] = box.lo[k] + scale[k] * packed[4 * i + k];
  return out;
}

// The values that were packed with the positions; what is not a number stays that.
export function unpackValues(packed: Uint16Array, lo: number, hi: number): Float32Array {
  const count = packed.length / 4;
  const out = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    const v = packed[4 * i + 3];
    out[i] = v === 65535 ? NaN : lo + ((hi - lo) * v) / 65534;
  }
  return out;
}

// Unit normals at the vertices, weighted by area.
export function normalsOf(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const n = new Float32Array(positions.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    for (const v of [a, b, c]) (n[v] += x), (n[v + 1] += y), (n[v + 2] += z);
  }
  for (let i = 0; i < n.length; i += 3) {
    const length = Math.hypot(n[i], n[i + 1], n[i + 2]) || 1;
    (n[i] /= length), (n[i + 1] /= length), (n[i + 2] /= length);
  }
  return n;
}
