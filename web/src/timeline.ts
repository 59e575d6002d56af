// Which frame is shown: scrubbing, stepping, playing, looping, following the newest.

export class Timeline {
  frames: number[] = [];
  index = 0;
  playing = false;
  loop = true;
  follow = false;
  speed = 1;
  private elapsed = 0; // of the frame that is shown [s]

  get frame(): number {
    return this.frames[this.index] ?? -1;
  }
  get last(): number {
    return Math.max(0, this.frames.length - 1);
  }

  // The frames that there are now. What is shown stays where it can.
  setFrames(frames: number[]): void {
    const shown = this.frame;
    this.frames = frames;
    const at = frames.indexOf(shown);
    this.index = this.follow || at < 0 ? (this.follow ? this.last : Math.min(this.index, this.last)) : at;
  }
  seek(index: number): void {
    this.index = Math.min(this.last, Math.max(0, Math.round(index)));
    this.elapsed = 0;
    this.follow = false;
  }
  step(by: number): void {
    this.playing = false;
    this.seek(this.index + by);
  }
  toggle(): void {
    this.playing = !this.playing;
    this.elapsed = 0;
    if (this.playing && !this.loop && this.index === this.last) this.seek(0);
    if (this.playing) this.follow = false;
  }
  toggleFollow(): void {
    this.follow = !this.follow;
    if (this.follow) {
      this.playing = false;
      this.index = this.last;
    }
  }
  // Plays on; true where another frame is due.
  advance(seconds: number, rate: number): boolean {
    if (!this.playing || this.frames.length < 2) return false;
    this.elapsed += seconds * rate * this.speed;
    const steps = Math.floor(this.elapsed);
    if (steps < 1) return false;
    this.elapsed -= steps;
    let next = this.index + steps;
    if (next > this.last) {
      if (this.loop) next %= this.frames.length;
      else (next = this.last), (this.playing = false);
    }
    const moved = next !== this.index;
    this.index = next;
    return moved;
  }
  // What will be shown soon.
  upcoming(count: number): number[] {
    const out: number[] = [];
    for (let k = 1; k <= count && k < this.frames.length; ++k) {
      const at = this.index + k;
      if (at <= this.last || this.loop) out.push(this.frames[at % this.frames.length]);
    }
    return out;
  }
}
