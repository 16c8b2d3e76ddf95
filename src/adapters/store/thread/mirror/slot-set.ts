/** Numbers of rows, a bit each. */
export class SlotSet {
  #bits = new Uint8Array(1_024);

  add(slot: number): void {
    const place = slot >>> 3;
    if (place >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(place + 1, this.#bits.length * 2));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[place] = (this.#bits[place] ?? 0) | (1 << (slot & 7));
  }

  has(slot: number): boolean {
    return ((this.#bits[slot >>> 3] ?? 0) & (1 << (slot & 7))) !== 0;
  }
}
