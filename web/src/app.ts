// What a person has chosen, and what follows from it.
import { Cache } from './cache';
import type { Rgb } from './colors';
import { actionOf, type Action } from './keys';
import type { Coloring } from './meshes';
import { boxOf } from './message';
import { Panel } from './panel';
import { Plot } from './plot';
import { widened, type Range } from './ranges';
import type { Fetched, RunInfo, Source } from './source';
import { Stage, type Clip, type Shown } from './stage';
import { Timeline } from './timeline';

const cacheBytes = 96 << 20;
const ahead = 4;

export class App {
  info: RunInfo | null = null;
  readonly timeline = new Timeline();
  column = '';
  byFrame = false; // the range of colours
  readonly shown: Shown = { particles: true, surface: false, colliders: true, ground: true };
  readonly hidden = new Set<number>();
  clip: Clip | null = null;
  range: Range = { lo: 0, hi: 1 };
  alive = true;
  readonly plot = new Plot((frame) => this.seekFrame(frame));
  private panel: Panel;
  private stage: Stage;
  private cache = new Cache<Fetched>(cacheBytes);
  private loading = new Map<string, Promise<Fetched>>();
  private runRange: Range | null = null;
  private wanted = 0; // counts what was asked to be shown
  private showing = false;
  private epoch = -1;
  private refreshing = false;
  private refreshAgain = false;

  constructor(readonly source: Source) {
    this.panel = new Panel(this);
    this.stage = new Stage(this.panel.canvas);
    if (source.fixedColumn !== null) this.column = source.fixedColumn;
  }
  start(): void {
    window.addEventListener('keydown', (e) => {
      const action = actionOf(e);
      if (!action) return;
      e.preventDefault();
      this.act(action);
    });
    const resize = () => {
      this.stage.resize(this.panel.canvas.clientWidth, this.panel.canvas.clientHeight);
    };
    new ResizeObserver(resize).observe(this.panel.canvas);
    resize();
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', () => this.setDark(dark.matches));
    this.setDark(dark.matches);
    this.source.listen((alive) => {
      if (alive !== this.alive) this.panel.setAlive((this.alive = alive));
      if (alive) this.refresh();
    });
    let before = performance.now();
    const tick = (now: number) => {
      const rate = this.info?.frame_rate ?? 30;
      if (!this.showing && this.timeline.advance(Math.min(0.25, (now - before) / 1000), rate)) this.moved();
      before = now;
      if (this.stage.draw()) document.body.dataset.drawn = String(this.stage.drawn);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  private paint(): void {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    this.stage.setTheme(color('--back'), color('--floor'), color('--floor-line'));
    this.plot.setFrame(this.timeline.frame);
  }

  // Looks at the run again, once more where news came meanwhile.
  private async refresh(): Promise<void> {
    if (this.refreshing) {
      this.refreshAgain = true;
      return;
    }
    this.refreshing = true;
    do {
      this.refreshAgain = false;
      try {
        await this.update(await this.source.run());
        this.panel.setTrouble(null);
      } catch (error) {
        this.panel.setTrouble(String((error as Error).message));
      }
    } while (this.refreshAgain);
    this.refreshing = false;
  }
  private async update(info: RunInfo): Promise<void> {
    const first = this.info === null || (this.info.frames.length === 0 && info.frames.length > 0);
    const fresh = info.epoch !== this.epoch || first;
    const grew = info.frames.length !== this.info?.frames.length;
    this.info = info;
    this.timeline.setFrames(info.frames);
    if (fresh) {
      this.epoch = info.epoch;
      this.cache.clear();
      this.runRange = null;
      this.stage.setMap(info.color_map);
      this.timeline.follow = this.source.live && info.report.status === 'running';
      this.timeline.setFrames(info.frames);
    }
    if (this.column === '' || !info.columns.some((c) => c.name === this.column))
      this.column = this.source.fixedColumn ?? '';
    this.stage.setBox(boxOf(info.box));
    if (fresh) {
      this.stage.frameAll();
      if (info.frames.length > 0) this.stage.setColliders(await this.source.colliders());
    }
    if (fresh || grew) this.stage.setGround(info.ground);
    if (grew && this.column !== '' && !this.byFrame) this.runRange = null;
    this.paint();
    this.panel.update();
    if (info.frames.length > 0) await this.show();
    if (this.plot.open || fresh) this.plot.set(await this.source.statistics());
  }

  act(action: Action): void {
    const t = this.timeline;
    const always: Record<Action, () => void> = {
      play: () => t.toggle(),
      next: () => t.step(1),
      previous: () => t.step(-1),
      first: () => t.seek(0),
      last: () => t.seek(t.last),
      loop: () => void (t.loop = !t.loop),
      follow: () => t.toggleFollow(),
      frameAll: () => this.stage.frameAll(),
      particles: () => this.toggle('particles'),
      surface: () => this.toggle('surface'),
      colliders: () => this.toggle('colliders'),
      clip: () => this.nextClip(),
      range: () => this.setByFrame(!this.byFrame),
      plot: () => this.togglePlot(),
      screenshot: () => void this.screenshot(),
      theme: () => this.setDark(document.documentElement.dataset.theme !== 'dark'),
      panel: () => document.body.classList.toggle('bare'),
      help: () => this.panel.toggleHelp(),
      close: () => {
        this.panel.close();
        this.stage.mark(null);
      },
    };
    always[action]();
    this.moved();
  }
  // Another frame may be due.
  moved(): void {
    this.panel.updateTimeline();
    this.plot.setFrame(this.timeline.frame);
    void this.show();
  }
  seekFrame(frame: number): void {
    const at = this.timeline.frames.indexOf(frame);
    if (at < 0) return;
    this.timeline.playing = false;
    this.timeline.seek(at);
    this.moved();
  }
  toggle(what: keyof Shown): void {
    this.shown[what] = !this.shown[what];
    if (what === 'surface' && this.shown.surface && this.info?.surfaces.length) this.shown.particles = false;
    if (what === 'surface' && !this.shown.surface) this.shown.particles = true;
    this.panel.update();
    void this.show();
  }
  setColumn(column: string): void {
    this.column = column;
    this.runRange = null;
    void this.show();
  }
  setByFrame(byFrame: boolean): void {
    this.byFrame = byFrame;
    void this.show();
  }
  setHidden(body: number, hidden: boolean): void {
    if (hidden) this.hidden.add(body);
    else this.hidden.delete(body);
    void this.show();
  }
  setClip(clip: Clip | null): void {
    this.clip = clip;
    this.stage.setClip(clip);
    this.panel.update();
  }
  private nextClip(): void {
    const next = this.clip === null ? 0 : this.clip.axis + 1;
    this.setClip(next > 2 ? null : { axis: next as 0 | 1 | 2, at: 0.5, flip: false });
  }
  private setDark(dark: boolean): void {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.paint();
  }
  togglePlot(): void {
    this.plot.toggle();
    if (this.plot.open) void this.source.statistics().then((s) => this.plot.set(s));
  }
  async screenshot(): Promise<void> {
    const blob = await this.stage.picture();
    if (!blob) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `${this.info?.title || 'knead'}-${String(this.timeline.frame).padStart(5, '0')}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  async pickAt(x: number, y: number): Promise<void> {
    const hit = this.stage.pick(x, y, this.hidden);
    if (!hit) return this.panel.setPicked(null);
    try {
      this.panel.setPicked(await this.source.pick(this.timeline.frame, hit.what, hit.index));
    } catch (error) {
      this.panel.setTrouble((error as Error).message);
    }
  }
  async control(action: string, settings: string[] = []): Promise<void> {
    try {
      await this.source.control(action, settings);
      this.panel.setTrouble(null);
    } catch (error) {
      this.panel.setTrouble((error as Error).message);
    }
  }

  private fetch(kind: 'frame' | 'surface', frame: number): Promise<Fetched> {
    const key = `${this.epoch} ${kind} ${frame} ${this.column}`;
    const kept = this.cache.get(key);
    if (kept) return Promise.resolve(kept);
    let loading = this.loading.get(key);
    if (!loading) {
      loading = this.source
        .message(kind, frame, this.column)
        .then((message) => {
          this.cache.set(key, message);
          return message;
        })
        .finally(() => this.loading.delete(key));
      this.loading.set(key, loading);
    }
    return loading;
  }
  private coloring(): Coloring {
    const plain: Rgb = [0.6, 0.32, 0.13];
    return {
      byValue: this.column !== '',
      range: this.range,
      map: this.info!.color_map,
      colorOf: (body) => this.info!.bodies[body]?.color ?? plain,
      hidden: this.hidden,
    };
  }
  // Shows what is wanted now; what was asked for meanwhile comes right after it.
  private async show(): Promise<void> {
    const mine = ++this.wanted;
    if (this.showing) return;
    this.showing = true;
    try {
      for (let done = 0; done !== this.wanted; ) {
        done = this.wanted;
        await this.showFrame(this.timeline.frame);
      }
    } catch (error) {
      if (this.alive) this.panel.setTrouble((error as Error).message);
      if (this.wanted === mine) this.timeline.playing = false;
    } finally {
      this.showing = false;
    }
  }
  private async showFrame(frame: number): Promise<void> {
    if (frame < 0 || !this.info) return;
    const hasSurface = this.shown.surface && this.info.surfaces.includes(frame);
    const [matter, surface] = await Promise.all([this.fetch('frame', frame), hasSurface ? this.fetch('surface', frame) : null]);
    if (this.column !== '') {
      if (!this.byFrame && !this.runRange) this.runRange = await this.source.range(this.column);
      this.range = widened(this.byFrame ? matter.json as unknown as Range : this.runRange!);
    }
    this.stage.show(matter, surface, this.coloring(), this.shown);
    this.panel.setShown(matter);
    document.body.dataset.frame = String(frame);
    document.body.dataset.column = this.column;
    if (this.timeline.playing) for (const next of this.timeline.upcoming(ahead)) void this.fetch('frame', next).catch(() => {});
  }
}
