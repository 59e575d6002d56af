// Fetches messages and prepares them, beside the thread that draws.
import { withNormals } from './normals';

self.onmessage = async ({ data: { id, path, token } }) => {
  try {
    const response = await fetch(path, { headers: { 'X-Knead-Token': token } });
    if (!response.ok) {
      const text = await response.text();
      self.postMessage({ id, error: text.startsWith('{') ? JSON.parse(text).error : text });
      return;
    }
    const buffer = await response.arrayBuffer();
    const { normals } = withNormals(buffer);
    self.postMessage({ id, buffer, normals }, { transfer: normals ? [buffer, normals.buffer] : [buffer] });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
};
