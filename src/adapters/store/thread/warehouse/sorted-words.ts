/** Many words in order, each once, held as plain numbers: a million strings would keep the garbage collector busy. */
export class SortedWords {
  readonly #units: Uint16Array;
  /** Where each word begins, and behind the last. */
  readonly #starts: Uint32Array;

  constructor(words: readonly string[]) {
    this.#starts = new Uint32Array(words.length + 1);
    let end = 0;
    for (const [place, word] of words.entries()) {
      end += word.length;
      this.#starts[place + 1] = end;
    }
    this.#units = new Uint16Array(end);
    for (const [place, word] of words.entries()) {
      const start = this.#starts[place] ?? 0;
      for (let unit = 0; unit < word.length; unit += 1) this.#units[start + unit] = word.charCodeAt(unit);
    }
  }

  /** The places of the words that begin so: from the first up to, not with, the second. */
  beginningWith(beginning: string): readonly [number, number] {
    const first = this.#firstWhere((place) => this.#compare(place, beginning) >= 0);
    return [first, this.#firstWhere((place) => this.#compare(place, beginning) > 0)];
  }

  #firstWhere(isBehind: (place: number) => boolean): number {
    let from = 0;
    let to = this.#starts.length - 1;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (isBehind(middle)) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** How a word, as far as the beginning is long, sorts against it. */
  #compare(place: number, beginning: string): number {
    const start = this.#starts[place] ?? 0;
    const length = (this.#starts[place + 1] ?? 0) - start;
    for (let unit = 0; unit < beginning.length; unit += 1) {
      if (unit >= length) return -1;
      const difference = (this.#units[start + unit] ?? 0) - beginning.charCodeAt(unit);
      if (difference !== 0) return difference;
    }
    return 0;
  }
}
