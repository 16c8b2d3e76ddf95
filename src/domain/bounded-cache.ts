/** Remembers values by their keys, up to `limit`. Beyond it the one that was set longest ago is forgotten. */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  entries(): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Whether there was one. */
  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done === false) this.#entries.delete(oldest.value);
  }
}
