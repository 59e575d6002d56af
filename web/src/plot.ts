// A curve of the statistics with a cursor at the frame that is shown.
import { make } from './dom';
import { short, ticks, widened } from './ranges';
import type { Statistics } from './source';

export class Plot {
  readonly element: HTMLElement;
  private canvas = make('canvas');
  private select = make('select', { 'aria-label': 'quantity', change: () => this.draw() });
  private table: Statistics = { columns: [], rows: [] };
  private frame = 0;

  constructor(private seek: (frame: number) => void) {
    this.element = make('section', { class: 'plot card', hidden: true }, this.select, this.canvas);
    this.canvas.addEventListener('pointerdown', (e) => this.point(e));
    this.canvas.addEventListener('pointermove', (e) => e.buttons && this.point(e));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }
  get open(): boolean {
    return !this.element.hidden;
  }
  toggle(): void {
    this.element.hidden = !this.element.hidden;
    this.draw();
  }
  set(table: Statistics): void {
    this.table = table;
    const names = table.columns.filter((c) => c !== 'frame' && c !== 'time');
    if (names.join() !== [...this.select.options].map((o) => o.value).join()) {
      const chosen = this.select.value || 'kinetic_energy';
      this.select.replaceChildren(...names.map((n) => make('option', { value: n }, n.replaceAll('_', ' '))));
      if (names.includes(chosen)) this.select.value = chosen;
    }
    this.draw();
  }
  setFrame(frame: number): void {
    this.frame = frame;
    this.draw();
  }
  private box(): { left: number; right: number; top: number; bottom: number } {
    return { left: 62, right: this.canvas.clientWidth - 12, top: 10, bottom: this.canvas.clientHeight - 20 };
  }
  private frames(): number[] {
    const at = this.table.columns.indexOf('frame');
    return this.table.rows.map((r) => r[at]);
  }
  private point(event: PointerEvent): void {
    const frames = this.frames(), box = this.box();
    if (frames.length === 0) return;
    const share = (event.offsetX - box.left) / (box.right - box.left);
    this.seek(Math.round(frames[0] + share * (frames[frames.length - 1] - frames[0])));
  }
  private draw(): void {
    if (!this.open || this.canvas.clientWidth === 0) return;
    const ratio = window.devicePixelRatio;
    this.canvas.width = this.canvas.clientWidth * ratio;
    this.canvas.height = this.canvas.clientHeight * ratio;
    const g = this.canvas.getContext('2d')!;
    const style = getComputedStyle(this.element);
    const color = (name: string) => style.getPropertyValue(name);
    g.scale(ratio, ratio);
    g.font = '11px system-ui, sans-serif';
    const at = this.table.columns.indexOf(this.select.value);
    const frames = this.frames();
    const values = at < 0 ? [] : this.table.rows.map((r) => r[at]);
    if (values.length === 0) return;
    const box = this.box();
    const y = widened({ lo: Math.min(...values), hi: Math.max(...values) });
    const x = widened({ lo: frames[0], hi: frames[frames.length - 1] });
    const px = (f: number) => box.left + ((f - x.lo) / (x.hi - x.lo)) * (box.right - box.left);
    const py = (v: number) => box.bottom - ((v - y.lo) / (y.hi - y.lo)) * (box.bottom - box.top);
    g.strokeStyle = color('--line');
    g.fillStyle = color('--soft');
    g.lineWidth = 1;
    for (const t of ticks(y, 4)) {
      g.beginPath(), g.moveTo(box.left, py(t)), g.lineTo(box.right, py(t)), g.stroke();
      g.textAlign = 'right';
      g.fillText(short(t, 3), box.left - 6, py(t) + 4);
    }
    g.textAlign = 'center';
    for (const t of ticks(x, 8)) g.fillText(String(t), px(t), box.bottom + 15);
    g.strokeStyle = color('--accent');
    g.lineWidth = 1.8;
    g.beginPath();
    values.forEach((v, i) => (i === 0 ? g.moveTo(px(frames[i]), py(v)) : g.lineTo(px(frames[i]), py(v))));
    g.stroke();
    const here = frames.indexOf(this.frame);
    if (here < 0) return;
    g.strokeStyle = color('--text');
    g.lineWidth = 1;
    g.beginPath(), g.moveTo(px(this.frame), box.top), g.lineTo(px(this.frame), box.bottom), g.stroke();
    g.fillStyle = color('--accent');
    g.beginPath(), g.arc(px(this.frame), py(values[here]), 3.5, 0, 7), g.fill();
    g.fillStyle = color('--text');
    g.textAlign = px(this.frame) > (box.left + box.right) / 2 ? 'right' : 'left';
    g.fillText(short(values[here], 5), px(this.frame) + (g.textAlign === 'left' ? 7 : -7), box.top + 8);
  }
}
