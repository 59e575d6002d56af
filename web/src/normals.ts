// A message with the normals of its triangles.
import { boxOf, normalsOf, parseMessage, u16, u32, unpackPositions } from './message';
import type { Fetched } from './source';

export function withNormals(buffer: ArrayBuffer): Fetched {
  const message: Fetched = parseMessage(buffer);
  const box = boxOf(message.json.box);
  const triangles = u32(message.tables.get('triangles'));
  if (box && triangles.length > 0)
    message.normals = normalsOf(unpackPositions(u16(message.tables.get('vertices')), box), triangles);
  return message;
}
