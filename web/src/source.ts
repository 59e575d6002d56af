// Where the page gets a run from: the server, or the file that holds page and run.
import { parseMessage, type Message } from './message';
import { withNormals } from './normals';
import type { Range } from './ranges';

export interface Column {
  name: string;
  unit: string;
}

export interface RunInfo {
  version: number;
  epoch: number;
  folder: string;
  title: string;
  frames: number[];
  surfaces: number[];
  columns: Column[];
  color_map: [number, number, number][];
  frame_rate: number;
  wanted?: number;
  method?: string;
  bodies: { name: string; material: string; color: [number, number, number] }[];
  box: [[number, number, number], [number, number, number]] | null;
  ground: { height: number; color: [number, number, number] | null } | null;
  report: Record<string, any>;
  warnings: string[];
  may_change: boolean;
  control: ControlState | null;
}

export interface ControlState {
  state: string; // starting, running, paused, stopped, finished, failed
  progress?: Record<string, number>;
  warnings: string[];
}

export interface Statistics {
  columns: string[];
  rows: number[][];
}

export interface Picked {
  frame: number;
  row: number;
  columns: { name: string; unit: string; value: number }[];
}

// A message with the normals of its triangles, which take a while.
export interface Fetched extends Message {
  normals?: Float32Array;
}

export interface Source {
  readonly live: boolean;
  readonly fixedColumn: string | null; // the only column there is
  run(): Promise<RunInfo>;
  message(kind: 'frame' | 'surface', frame: number, column: string): Promise<Fetched>;
  colliders(): Promise<Fetched>;
  statistics(): Promise<Statistics>;
  range(column: string): Promise<Range & { frames: number; of: number }>;
  pick(frame: number, what: 'point' | 'vertex', index: number): Promise<Picked>;
  control(action: string, settings?: string[]): Promise<ControlState>;
  // Calls back at once, and whenever there is news; `false` when the server has gone.
  listen(news: (alive: boolean) => void): void;
}

export class ServerSource implements Source {
  readonly live = true;
  readonly fixedColumn = null;
  private worker: Worker;
  private waiting = new Map<number, { done: (m: Fetched) => void; failed: (e: Error) => void }>();
  private next = 0;

  constructor(private token: string) {
    this.worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.worker.onmessage = ({ data }) => {
      const who = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.error) who?.failed(new Error(data.error));
      else who?.done({ ...parseMessage(data.buffer), normals: data.normals });
    };
  }
  private async ask(path: string, options: RequestInit = {}): Promise<Response> {
    const response = await fetch(path, { ...options, headers: { ...options.headers, 'X-Knead-Token': this.token } });
    if (response.ok) return response;
    const text = await response.text();
    let what = text;
    try {
      what = JSON.parse(text).error ?? text;
    } catch {
      // plain text
    }
    throw new Error(response.status === 401 ? 'this link is not the one that the server printed' : what);
  }
  private async json<T>(path: string, options: RequestInit = {}): Promise<T> {
    return (await this.ask(path, options)).json();
  }
  private fetched(path: string): Promise<Fetched> {
    return new Promise((done, failed) => {
      this.waiting.set(++this.next, { done, failed });
      this.worker.postMessage({ id: this.next, path, token: this.token });
    });
  }
  run(): Promise<RunInfo> {
    return this.json('/api/run');
  }
  message(kind: 'frame' | 'surface', frame: number, column: string): Promise<Fetched> {
    return this.fetched(`/api/${kind}/${frame}?column=${encodeURIComponent(column)}`);
  }
  colliders(): Promise<Fetched> {
    return this.fetched('/api/colliders');
  }
  statistics(): Promise<Statistics> {
    return this.json('/api/stats');
  }
  range(column: string): Promise<Range & { frames: number; of: number }> {
    return this.json(`/api/range?column=${encodeURIComponent(column)}`);
  }
  pick(frame: number, what: 'point' | 'vertex', index: number): Promise<Picked> {
    return this.json(`/api/pick/${frame}?${what}=${index}`);
  }
  control(action: string, settings: string[] = []): Promise<ControlState> {
    return this.json('/api/control', { method: 'POST', body: JSON.stringify({ action, settings }) });
  }
  async listen(news: (alive: boolean) => void): Promise<void> {
    for (;;) {
      try {
        const reader = (await this.ask('/api/events')).body!.pipeThrough(new TextDecoderStream()).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read())
          if (part.value.includes('data:')) news(true);
      } catch {
        // told below
      }
      news(false);
      await new Promise((again) => setTimeout(again, 1000));
    }
  }
}

// What `knead view DIR --export` puts into the page.
export class FileSource implements Source {
  readonly live = false;
  readonly fixedColumn: string;
  private constructor(private info: RunInfo, private extra: { column: string; range: Range; statistics: Statistics }) {
    this.fixedColumn = extra.column;
  }
  static open(): FileSource | null {
    const text = document.getElementById('knead-run')?.textContent;
    if (!text) return null;
    const { run, ...extra } = JSON.parse(text);
    return new FileSource(run, extra);
  }
  private async decode(id: string): Promise<Fetched> {
    const text = document.getElementById(id)?.textContent ?? '';
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return withNormals(bytes.buffer);
  }
  async run(): Promise<RunInfo> {
    return this.info;
  }
  message(kind: 'frame' | 'surface', frame: number): Promise<Fetched> {
    return this.decode(`knead-${kind}-${frame}`);
  }
  colliders(): Promise<Fetched> {
    return this.decode('knead-colliders');
  }
  async statistics(): Promise<Statistics> {
    return this.extra.statistics;
  }
  async range(): Promise<Range & { frames: number; of: number }> {
    return { ...this.extra.range, frames: this.info.frames.length, of: this.info.frames.length };
  }
  async pick(): Promise<Picked> {
    throw new Error('this page holds no columns of particles; `knead view` shows them');
  }
  async control(): Promise<ControlState> {
    throw new Error('there is no run behind this page');
  }
  listen(news: (alive: boolean) => void): void {
    news(true);
  }
}
