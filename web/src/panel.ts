// Everything around the picture.
import type { App } from './app';
import { css, gradient } from './colors';
import { button, make, setIcon } from './dom';
import { keyName, keys } from './keys';
import { count, duration, short, ticks } from './ranges';
import type { Fetched, Picked } from './source';
import type { Clip, Shown } from './stage';

const layers: [keyof Shown, string][] = [
  ['particles', 'particles'],
  ['surface', 'surface'],
  ['colliders', 'colliders'],
  ['ground', 'ground'],
];

export class Panel {
  readonly canvas = make('canvas', { id: 'view', tabindex: '0', 'aria-label': 'the run in three dimensions' });
  private title = make('h1');
  private status = make('span', { id: 'status' });
  private facts = make('div', { class: 'facts', id: 'facts' });
  private warnings = make('div', { class: 'warnings' });
  private trouble = make('div', { class: 'trouble', id: 'trouble', hidden: true, role: 'alert' });
  private column = make('select', { id: 'column', 'aria-label': 'colour by' });
  private legend = make('div', { class: 'legend', id: 'legend', hidden: true });
  private byFrame = make('input', { type: 'checkbox', id: 'by-frame' });
  private layers = make('div', { class: 'rows' });
  private bodies = make('div', { class: 'rows', id: 'bodies' });
  private clipAxis = make('select', { id: 'clip-axis', 'aria-label': 'clip plane' });
  private clipAt = make('input', { type: 'range', min: '0', max: '1', step: '0.005', value: '0.5', id: 'clip-at', 'aria-label': 'where it clips' });
  private clipFlip = make('input', { type: 'checkbox', id: 'clip-flip' });
  private picked = make('section', { class: 'picked card', id: 'picked', hidden: true });
  private help = make('section', { class: 'help card', id: 'help-list', hidden: true });
  private control = make('section', { id: 'control', hidden: true });
  private scrub = make('input', { type: 'range', min: '0', step: '1', value: '0', id: 'scrub', 'aria-label': 'frame' });
  private clock = make('output', { id: 'clock' });
  private play: HTMLButtonElement;
  private loop: HTMLButtonElement;
  private follow: HTMLButtonElement;
  private pauseRun = make('button', { id: 'pause-run' }, 'Pause');
  private changes = make('div', { class: 'changes' });

  constructor(private app: App) {
    const t = app.timeline;
    this.play = button('play', 'play or pause (Space)', () => app.act('play'));
    this.loop = button('loop', 'loop (l)', () => app.act('loop'));
    this.follow = button('follow', 'follow the newest frame (n)', () => app.act('follow'));
    this.scrub.addEventListener('input', () => {
      t.playing = false;
      t.seek(Number(this.scrub.value));
      app.moved();
    });
    this.column.addEventListener('change', () => app.setColumn(this.column.value));
    this.byFrame.addEventListener('change', () => app.setByFrame(this.byFrame.checked));
    const clip = () =>
      app.setClip(this.clipAxis.value === '' ? null : { axis: Number(this.clipAxis.value) as Clip['axis'], at: Number(this.clipAt.value), flip: this.clipFlip.checked });
    for (const e of [this.clipAxis, this.clipAt, this.clipFlip]) e.addEventListener('input', clip);
    ['off', 'x', 'y', 'z'].forEach((name, k) => this.clipAxis.append(make('option', { value: k === 0 ? '' : String(k - 1) }, name)));
    this.makeHelp();
    this.makeControl();
    this.listenToPicks();
    document.body.append(this.canvas, this.header(), this.side(), this.picked, this.help, this.bottom(), this.trouble);
  }
  private header(): HTMLElement {
    const a = this.app;
    const tools = make('div', { class: 'tools' },
      button('fit', 'show all (f)', () => a.act('frameAll')),
      button('plot', 'plot of the statistics (g)', () => a.act('plot')),
      button('camera', 'save a picture (i)', () => a.act('screenshot')),
      button('theme', 'light or dark (t)', () => a.act('theme')),
      button('help', 'keys (?)', () => a.act('help')));
    return make('header', { class: 'card' }, make('div', {}, this.title, this.status), tools);
  }
  private side(): HTMLElement {
    return make('aside', { class: 'card' },
      make('section', {}, make('h2', {}, 'Colour'), this.column, this.legend, ),
      make('section', {}, make('h2', {}, 'Show'), this.layers),
      make('section', {}, make('h2', {}, 'Bodies'), this.bodies),
      make('section', {}, make('h2', {}, 'Clip'),
        make('div', { class: 'clip' }, this.clipAxis, this.clipAt, make('label', {}, this.clipFlip, 'flip'))),
      this.control,
      make('section', {}, make('h2', {}, 'Run'), this.facts, this.warnings));
  }
  private bottom(): HTMLElement {
    const a = this.app;
    return make('footer', {}, this.app.plot.element,
      make('div', { class: 'timeline card' },
        button('previous', 'previous frame (←)', () => a.act('previous')), this.play,
        button('next', 'next frame (→)', () => a.act('next')), this.scrub, this.clock, this.loop, this.follow));
  }
  private makeHelp(): void {
    const rows = keys.map((k) => make('tr', {}, make('td', {}, ...k.keys.map((name) => make('kbd', {}, keyName(name)))), make('td', {}, k.text)));
    const mouse = [['drag', 'turn'], ['right drag', 'move'], ['wheel', 'nearer or farther'], ['click', 'pick a particle']];
    rows.push(...mouse.map(([what, does]) => make('tr', {}, make('td', {}, make('kbd', {}, what)), make('td', {}, does))));
    this.help.append(make('h2', {}, 'Keys'), make('table', {}, ...rows));
    if (!this.app.source.live) {
      const notices = document.getElementById('knead-notices')?.textContent ?? '';
      this.help.append(make('details', {}, make('summary', {}, 'licences of what this page holds'), make('pre', {}, notices)));
    } else this.help.append(make('p', {}, make('a', { href: '/notices.txt', target: '_blank', rel: 'noreferrer' }, 'licences of what this page holds')));
  }
  private makeControl(): void {
    const input = make('input', { id: 'setting', placeholder: 'materials.dough.flow.yield_stress=200', 'aria-label': 'key.path=value' });
    const form = make('form', { submit: (e: Event) => {
      e.preventDefault();
      if (input.value.trim()) void this.app.control('set', [input.value.trim()]);
    } }, input, make('button', {}, 'Set'));
    this.pauseRun.addEventListener('click', () => void this.app.control(this.pauseRun.dataset.action!));
    const stop = make('button', { id: 'stop-run', click: () => void this.app.control('stop') }, 'Stop');
    this.control.append(make('h2', {}, 'Control'), make('div', { class: 'buttons' }, this.pauseRun, stop), form, this.changes);
  }
  private listenToPicks(): void {
    let down = { x: 0, y: 0 };
    this.canvas.addEventListener('pointerdown', (e) => (down = { x: e.clientX, y: e.clientY }));
    this.canvas.addEventListener('click', (e) => {
      if (Math.hypot(e.clientX - down.x, e.clientY - down.y) > 4) return;
      const box = this.canvas.getBoundingClientRect();
      void this.app.pickAt((2 * (e.clientX - box.left)) / box.width - 1, 1 - (2 * (e.clientY - box.top)) / box.height);
    });
  }

  update(): void {
    const info = this.app.info!;
    this.title.textContent = info.title || info.folder.split('/').pop() || 'knead';
    document.title = `${this.title.textContent} – knead`;
    const state = info.control?.state ?? info.report.status ?? 'frames';
    this.status.textContent = state;
    this.status.dataset.state = state;
    this.setColumns();
    this.setLayers();
    this.setBodies();
    this.clipAxis.value = this.app.clip ? String(this.app.clip.axis) : '';
    if (this.app.clip) this.clipAt.value = String(this.app.clip.at);
    this.clipFlip.checked = this.app.clip?.flip ?? false;
    this.setFacts();
    this.control.hidden = !info.may_change;
    if (info.may_change && info.control) this.setControl(info.control.state);
    this.updateTimeline();
  }
  private setColumns(): void {
    const { columns } = this.app.info!;
    const fixed = this.app.source.fixedColumn;
    const names = fixed === null ? ['', ...columns.map((c) => c.name)] : fixed === '' ? [''] : ['', fixed];
    if (names.join() !== [...this.column.options].map((o) => o.value).join())
      this.column.replaceChildren(...names.map((n) => make('option', { value: n }, n || 'body')));
    this.column.value = this.app.column;
  }
  private check(text: string, checked: boolean, change: (on: boolean) => void, swatch?: string): HTMLElement {
    const box = make('input', { type: 'checkbox', checked, change: () => change(box.checked) });
    const label = make('label', {}, box);
    if (swatch) {
      const dot = make('i');
      dot.style.background = swatch;
      label.append(dot);
    }
    label.append(text);
    return label;
  }
  private setLayers(): void {
    const has = (l: keyof Shown) => l !== 'surface' || this.app.info!.surfaces.length > 0;
    this.layers.replaceChildren(...layers.filter(([l]) => has(l)).map(([l, text]) => this.check(text, this.app.shown[l], () => this.app.toggle(l))));
  }
  private setBodies(): void {
    this.bodies.replaceChildren(...this.app.info!.bodies.map((b, k) =>
      this.check(b.name, !this.app.hidden.has(k), (on) => this.app.setHidden(k, !on), css(b.color))));
  }
  private setFacts(): void {
    const info = this.app.info!;
    const report = info.report;
    const progress = info.control?.progress;
    const rows: [string, string][] = [];
    const wanted = report.frames ?? info.wanted;
    rows.push(['frames', wanted && wanted + 1 > info.frames.length ? `${info.frames.length} of ${wanted + 1}` : String(info.frames.length)]);
    if (info.method) rows.push(['method', info.method]);
    if (progress?.substeps) rows.push(['step', `${short(1 / info.frame_rate / progress.substeps, 3)} s, ${progress.substeps} a frame`]);
    else if (report.substeps && report.frame) rows.push(['step', `${short(report.frame / info.frame_rate / report.substeps, 3)} s on average`]);
    if (report.step_limit) rows.push(['limited by', report.step_limit.because_of]);
    if (progress && 'seconds_left' in progress && info.control!.state === 'running') rows.push(['left', duration(progress.seconds_left)]);
    if (report.wall_seconds) rows.push(['took', duration(report.wall_seconds)]);
    if (report.backend) rows.push(['on', `${report.backend}, ${report.threads} threads`]);
    this.facts.replaceChildren(...rows.flatMap(([name, value]) => [make('span', {}, name), make('b', {}, value)]));
    const warnings = [...info.warnings, ...(info.control?.warnings ?? [])];
    if (report.error) warnings.push(report.error);
    this.warnings.replaceChildren(...warnings.map((w) => make('p', {}, w)));
  }
  private setControl(state: string): void {
    const actions: Record<string, [string, string]> = { running: ['pause', 'Pause'], paused: ['resume', 'Go on'], stopped: ['resume', 'Go on'] };
    const [action, text] = actions[state] ?? ['', 'Pause'];
    this.pauseRun.dataset.action = action;
    this.pauseRun.textContent = text;
    this.pauseRun.disabled = action === '';
    (document.getElementById('stop-run') as HTMLButtonElement).disabled = state !== 'running' && state !== 'paused';
    this.changes.replaceChildren(...(this.app.info!.report.changes ?? []).map((c: { frame: number; set: string[] }) => make('p', {}, `from frame ${c.frame}: ${c.set.join(', ')}`)));
  }
  updateTimeline(): void {
    const t = this.app.timeline;
    this.scrub.max = String(t.last);
    this.scrub.value = String(t.index);
    this.scrub.style.setProperty('--share', `${t.last > 0 ? (100 * t.index) / t.last : 0}%`);
    setIcon(this.play, t.playing ? 'pause' : 'play');
    this.loop.classList.toggle('on', t.loop);
    this.follow.classList.toggle('on', t.follow);
    this.follow.hidden = !this.app.source.live;
  }
  // What is in the picture now.
  setShown(message: Fetched): void {
    const { frame, time, particles } = message.json;
    this.clock.textContent = `${frame} · ${Number(time).toFixed(3)} s · ${count(particles)}`;
    this.clock.title = 'frame · time · particles';
    this.legend.hidden = this.app.column === '';
    if (this.legend.hidden) return;
    const { range, info } = this.app;
    const unit = info!.columns.find((c) => c.name === this.app.column)?.unit ?? '';
    const bar = make('div', { class: 'bar' });
    bar.style.background = gradient(info!.color_map);
    const numbers = make('div', { class: 'numbers' });
    for (const t of ticks(range, 4)) {
      const at = make('span', {}, short(t, 3));
      at.style.left = `${(100 * (t - range.lo)) / (range.hi - range.lo)}%`;
      numbers.append(at);
    }
    this.byFrame.checked = this.app.byFrame;
    this.legend.replaceChildren(bar, numbers, make('label', {}, this.byFrame, `range of the frame`), make('span', { class: 'unit' }, unit ? `[${unit}]` : ''));
  }
  setPicked(picked: Picked | null): void {
    this.picked.hidden = picked === null;
    if (!picked) return;
    const rows = picked.columns.map((c) => make('tr', {}, make('td', {}, c.name), make('td', {}, Number.isInteger(c.value) ? String(c.value) : short(c.value, 5)), make('td', {}, c.unit)));
    const name = picked.columns.find((c) => c.name === 'id')?.value ?? picked.row;
    this.picked.replaceChildren(make('h2', {}, `Particle ${name}`), make('table', {}, ...rows));
  }
  setTrouble(text: string | null): void {
    this.trouble.hidden = text === null && this.app.alive;
    if (text !== null) this.trouble.textContent = text;
  }
  setAlive(alive: boolean): void {
    this.trouble.hidden = alive;
    this.trouble.textContent = alive ? '' : 'The server has stopped. What was fetched can still be seen.';
  }
  toggleHelp(): void {
    this.help.hidden = !this.help.hidden;
  }
  close(): void {
    this.help.hidden = this.picked.hidden = true;
  }
}
