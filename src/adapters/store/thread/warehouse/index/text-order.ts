import { firstWhere, PackedTexts } from './packed-texts.ts';

/** The number before the first. */
const FIRST = Number.NEGATIVE_INFINITY;

/** Gives texts numbers with the same order; a later text gets a number between those of its neighbours. */
export class TextOrder {
  /** In order: the first texts, and texts that came after all others. Their numbers are their places. */
  readonly #packed: PackedTexts;
  /** In order: the few texts that came later and belong between the others. */
  readonly #betweenTexts: string[] = [];
  readonly #betweenKeys: number[] = [];

  /** `texts` each once, in any order. */
  constructor(texts: Iterable<string> = []) {
    this.#packed = new PackedTexts([...texts].sort(compareTexts));
  }

  /** Undefined: nothing has this text. */
  find(text: string): number | undefined {
    const place = this.#packedPlaceOf(text);
    if (this.#isPackedAt(place, text)) return place;
    const between = this.#betweenPlaceOf(text);
    return this.#betweenTexts[between] === text ? this.#betweenKeys[between] : undefined;
  }

  /** The numbers of all spellings of a text that differ only in case. */
  findInAnyCase(text: string): readonly number[] {
    const packed = this.#packed;
    const folded = Array.from({ length: text.length }, (_, unit) => foldCase(text.charCodeAt(unit)));
    const keys: number[] = [];
    for (let place = 0; place < packed.count; place += 1) {
      if (packed.lengthAt(place) === folded.length && isSpelling(packed, place, folded)) keys.push(place);
    }
    const sought = text.toLowerCase();
    for (const [place, other] of this.#betweenTexts.entries()) {
      if (other.toLowerCase() === sought) keys.push(this.#betweenKeys[place] ?? place);
    }
    return keys;
  }

  /** The number of a text, old or new; null if no number is left between its neighbours'. */
  learn(text: string): number | null {
    const place = this.#packedPlaceOf(text);
    if (this.#isPackedAt(place, text)) return place;
    if (place === this.#packed.count) {
      this.#packed.append(text);
      return place;
    }
    const between = this.#betweenPlaceOf(text);
    if (this.#betweenTexts[between] === text) return this.#betweenKeys[between] ?? null;
    const next = Math.min(place, this.#betweenKeys[between] ?? place);
    const previous = Math.max(place === 0 ? FIRST : place - 1, this.#betweenKeys[between - 1] ?? FIRST);
    const key = previous === FIRST ? next - 1 : (previous + next) / 2;
    if (key <= previous || key >= next) return null;
    this.#betweenTexts.splice(between, 0, text);
    this.#betweenKeys.splice(between, 0, key);
    return key;
  }

  #isPackedAt(place: number, text: string): boolean {
    return place < this.#packed.count && comparePacked(this.#packed, place, text) === 0;
  }

  /** The place of the first packed text that is not before this one. */
  #packedPlaceOf(text: string): number {
    return firstWhere(this.#packed.count, (place) => comparePacked(this.#packed, place, text) >= 0);
  }

  #betweenPlaceOf(text: string): number {
    const texts = this.#betweenTexts;
    return firstWhere(texts.length, (place) => compareTexts(texts[place] ?? '', text) >= 0);
  }
}

function isSpelling(texts: PackedTexts, place: number, folded: readonly number[]): boolean {
  for (let unit = 0; unit < folded.length; unit += 1) {
    if (foldCase(texts.unitAt(place, unit)) !== folded[unit]) return false;
  }
  return true;
}

const LAST_ASCII = 0x7f;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;

function foldCase(unit: number): number {
  if (unit <= LAST_ASCII) return unit >= UPPER_A && unit <= UPPER_Z ? unit + TO_LOWER : unit;
  const lower = String.fromCharCode(unit).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}

/** SQLite orders texts by code points, JavaScript by UTF-16 units. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let unit = 0; unit < length; unit += 1) {
    const difference = weight(one.charCodeAt(unit)) - weight(other.charCodeAt(unit));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function comparePacked(texts: PackedTexts, place: number, other: string): number {
  const ownLength = texts.lengthAt(place);
  const length = Math.min(ownLength, other.length);
  for (let unit = 0; unit < length; unit += 1) {
    const difference = weight(texts.unitAt(place, unit)) - weight(other.charCodeAt(unit));
    if (difference !== 0) return difference;
  }
  return ownLength - other.length;
}

function weight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
