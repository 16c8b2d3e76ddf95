const LEAST_CAPACITY = 16;
const GROWTH_RATIO = 1.5;

/** Many texts held as plain numbers: a million strings would keep the garbage collector busy. */
export class PackedTexts {
  #units: Uint16Array;
  /** The beginning of each text, and the end of the last. */
  #starts: Uint32Array;
  #count = 0;

  constructor(texts: readonly string[] = []) {
    this.#starts = new Uint32Array(texts.length + 1);
    this.#units = new Uint16Array(texts.reduce((length, text) => length + text.length, 0));
    for (const text of texts) this.append(text);
  }

  get count(): number {
    return this.#count;
  }

  append(text: string): void {
    const start = this.#starts[this.#count] ?? 0;
    const end = start + text.length;
    if (end > this.#units.length) {
      const units = new Uint16Array(roomFor(end));
      units.set(this.#units);
      this.#units = units;
    }
    if (this.#count + 2 > this.#starts.length) {
      const starts = new Uint32Array(roomFor(this.#count + 2));
      starts.set(this.#starts);
      this.#starts = starts;
    }
    for (let unit = 0; unit < text.length; unit += 1) this.#units[start + unit] = text.charCodeAt(unit);
    this.#count += 1;
    this.#starts[this.#count] = end;
  }

  /** In UTF-16 units. */
  lengthAt(place: number): number {
    return (this.#starts[place + 1] ?? 0) - (this.#starts[place] ?? 0);
  }

  unitAt(place: number, unit: number): number {
    return this.#units[(this.#starts[place] ?? 0) + unit] ?? 0;
  }
}

/**
 * The first of `count` places for which `isBehind` is true; it must be true for all later places. Gives `count` if it is
 * false for every place.
 */
export function firstWhere(count: number, isBehind: (place: number) => boolean): number {
  let from = 0;
  let to = count;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBehind(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function roomFor(length: number): number {
  return Math.max(LEAST_CAPACITY, Math.ceil(length * GROWTH_RATIO));
}
