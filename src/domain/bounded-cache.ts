/**
 * Remembers values that are costly to find again, up to `limit` entries; when it is full, it forgets all and starts
 * again.
 */
export class BoundedCache<Key, Value> {
  private readonly entries = new Map<Key, Value>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  clear(): void {
    this.entries.clear();
  }

  set(key: Key, value: Value): void {
    if (this.entries.size >= this.limit) this.entries.clear();
    this.entries.set(key, value);
  }
}
