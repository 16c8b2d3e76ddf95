/** SQLite's order of texts: that of code points, where JavaScript's is that of UTF-16 units. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let place = 0; place < length; place += 1) {
    const unit = one.charCodeAt(place);
    const otherUnit = other.charCodeAt(place);
    if (unit !== otherUnit) return weight(unit) - weight(otherUnit);
  }
  return one.length - other.length;
}

function weight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Gives texts numbers that sort as they do; one that comes later gets a number between its neighbours'. */
export class TextOrder {
  readonly #texts: string[];
  readonly #keys: number[];

  /** `texts` each once, in any order. */
  constructor(texts: Iterable<string> = []) {
    this.#texts = [...texts].sort(compareTexts);
    this.#keys = this.#texts.map((_, place) => place);
  }

  /** Undefined: nothing has this text. */
  find(text: string): number | undefined {
    const place = this.#placeOf(text);
    return this.#texts[place] === text ? this.#keys[place] : undefined;
  }

  /** The number of a text, old or new; null: there is none left between its neighbours'. */
  learn(text: string): number | null {
    const place = this.#placeOf(text);
    if (this.#texts[place] === text) return this.#keys[place] ?? null;
    if (place === this.#texts.length) return this.#append(text);
    const next = this.#keys[place] ?? 0;
    const previous = this.#keys[place - 1] ?? next - 2;
    const key = (previous + next) / 2;
    if (key <= previous || key >= next) return null;
    this.#texts.splice(place, 0, text);
    this.#keys.splice(place, 0, key);
    return key;
  }

  /** Adds a text that sorts behind all others. */
  #append(text: string): number {
    const key = (this.#keys.at(-1) ?? -1) + 1;
    this.#texts.push(text);
    this.#keys.push(key);
    return key;
  }

  /** The place of the first text that is not before this one. */
  #placeOf(text: string): number {
    let from = 0;
    let to = this.#texts.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareTexts(this.#texts[middle] ?? '', text) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
