// When the next picture is due, and how fine: where the processor draws, what changes is drawn
// coarsely, and finely as soon as it rests.

export const rest = 250; // [ms]
export const restingTicks = 8; // of the page, which come late where drawing takes long

export class Pace {
  private changed = true;
  private coarse = false; // what is seen
  private wantsFine = false;
  private last = 0; // change that was drawn [ms]
  private ticks = 0; // since then

  // `fine` is in pixels of the drawing per pixel of the page.
  constructor(readonly fine: number, private slow: boolean) {}

  touch(): void {
    this.changed = true;
  }
  // The next picture is a fine one.
  still(): void {
    this.changed = this.wantsFine = true;
  }
  // To be asked at every tick: how fine to draw now; null: what is seen is right.
  due(now: number): number | null {
    ++this.ticks;
    if (this.changed) {
      this.coarse = this.slow && !this.wantsFine;
      this.changed = this.wantsFine = false;
      this.last = now;
      this.ticks = 0;
      return this.coarse ? this.fine / 2 : this.fine;
    }
    if (!this.coarse || this.ticks < restingTicks || now - this.last < rest) return null;
    this.coarse = false;
    return this.fine;
  }
}
