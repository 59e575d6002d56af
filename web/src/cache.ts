// Frames that were fetched, as many as fit: what was used last goes last.

export class Cache<T extends { bytes: number }> {
  private entries = new Map<string, T>();
  bytes = 0;

  constructor(readonly most: number) {}

  get(key: string): T | undefined {
    const found = this.entries.get(key);
    if (found) {
      this.entries.delete(key);
      this.entries.set(key, found);
    }
    return found;
  }
  set(key: string, value: T): void {
    this.bytes += value.bytes - (this.entries.get(key)?.bytes ?? 0);
    this.entries.delete(key);
    this.entries.set(key, value);
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= this.most || oldest === key) break;
      this.entries.delete(oldest);
      this.bytes -= entry.bytes;
    }
  }
  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }
  get size(): number {
    return this.entries.size;
  }
}
