import { firstWhere, PackedTexts } from './packed-texts.ts';

/**
 * The number of rows whose words are sorted together. More rows take too long at once; fewer make a search look in many
 * places.
 */
const SEGMENT_ROWS = 4_000;
/** A row that was sorted into no segment yet. */
const UNSORTED = 0xffff;
/** With more segments than this for each full one, the index is rebuilt. */
const WORN_RATIO = 2;
const WORN_AT_LEAST = 8;

/** Words of so many rows: each with the slots of the rows that have it. */
interface Segment {
  readonly words: PackedTexts;
  /** The beginning of each word's slots, and the end of the last. */
  readonly starts: Uint32Array;
  readonly slots: Uint32Array;
}

/**
 * Finds rows by the beginnings of their words. The index consists of sorted segments and the latest rows, which are
 * unsorted.
 */
export class WordIndex {
  readonly #segments: Segment[] = [];
  readonly #unsorted = new Map<number, readonly string[]>();
  /** The segment that holds the present words of a row; other segments may hold former ones. */
  #segmentOf = new Uint16Array(0).fill(UNSORTED);
  #rows = 0;

  /** Whether rows changed so often that most entries are outdated. */
  get isWorn(): boolean {
    return this.#segments.length > WORN_AT_LEAST + WORN_RATIO * (this.#rows / SEGMENT_ROWS);
  }

  /** The row's present words, which replace the earlier ones. */
  put(slot: number, words: readonly string[]): void {
    if (slot >= this.#segmentOf.length) this.#grow(slot + 1);
    this.#rows = Math.max(this.#rows, slot + 1);
    this.#segmentOf[slot] = UNSORTED;
    this.#unsorted.set(slot, words);
    if (this.#unsorted.size >= SEGMENT_ROWS) this.#sort();
  }

  /** Leaves in the mask only the rows that have a word with each of these beginnings. */
  narrow(mask: Uint8Array, beginnings: readonly string[]): void {
    if (beginnings.length === 0) return;
    // A row that has a word with the first n beginnings gets the mark n + 1, so one pass at the end finds all matches.
    for (const [passed, beginning] of beginnings.entries()) {
      const mark = passed + 1;
      for (const [number, segment] of this.#segments.entries()) this.#find(segment, number, beginning, mask, mark);
      for (const [slot, words] of this.#unsorted) {
        if (mask[slot] === mark && words.some((word) => word.startsWith(beginning))) mask[slot] = mark + 1;
      }
    }
    const last = beginnings.length + 1;
    for (let slot = 0; slot < mask.length; slot += 1) mask[slot] = mask[slot] === last ? 1 : 0;
  }

  /** Gives rows with this mark (1 at first) the next mark if they have a word with this beginning. */
  #find({ words, starts, slots }: Segment, number: number, beginning: string, mask: Uint8Array, mark: number): void {
    const [first, behind] = placesBeginningWith(words, beginning);
    const end = starts[behind] ?? 0;
    const segmentOf = this.#segmentOf;
    for (let place = starts[first] ?? 0; place < end; place += 1) {
      const slot = slots[place] ?? 0;
      const seen = mask[slot] ?? 0;
      // Adds 1 where both are equal. A branch, which the processor cannot predict here, would cost more than the rest.
      mask[slot] = seen + ((((seen ^ mark) | ((segmentOf[slot] ?? 0) ^ number)) - 1) >>> 31);
    }
  }

  #sort(): void {
    const numbers = new Map<string, number>();
    const wordOf: number[] = [];
    const slotOf: number[] = [];
    for (const [slot, words] of this.#unsorted) {
      this.#segmentOf[slot] = this.#segments.length;
      for (const word of words) {
        const number = numbers.get(word) ?? numbers.size;
        if (number === numbers.size) numbers.set(word, number);
        wordOf.push(number);
        slotOf.push(slot);
      }
    }
    const words = [...numbers.keys()].sort();
    const placeOf = new Uint32Array(words.length);
    for (const [place, word] of words.entries()) placeOf[numbers.get(word) ?? 0] = place;
    this.#segments.push({ words: new PackedTexts(words), ...grouped(wordOf, slotOf, placeOf) });
    this.#unsorted.clear();
  }

  #grow(least: number): void {
    const grown = new Uint16Array(Math.max(least, this.#segmentOf.length * 2)).fill(UNSORTED);
    grown.set(this.#segmentOf);
    this.#segmentOf = grown;
  }
}

/** Groups the slots by word, in the order of the words' places. */
function grouped(wordOf: readonly number[], slotOf: readonly number[], placeOf: Uint32Array) {
  const starts = new Uint32Array(placeOf.length + 1);
  for (const word of wordOf) {
    const behind = (placeOf[word] ?? 0) + 1;
    starts[behind] = (starts[behind] ?? 0) + 1;
  }
  for (let place = 1; place < starts.length; place += 1) {
    starts[place] = (starts[place] ?? 0) + (starts[place - 1] ?? 0);
  }
  const next = starts.slice();
  const slots = new Uint32Array(slotOf.length);
  for (const [pair, word] of wordOf.entries()) {
    const place = placeOf[word] ?? 0;
    const at = next[place] ?? 0;
    slots[at] = slotOf[pair] ?? 0;
    next[place] = at + 1;
  }
  return { starts, slots };
}

/**
 * Finds the words with this beginning in a sorted list without repetitions. Gives the first place and the place after
 * the last.
 */
function placesBeginningWith(words: PackedTexts, beginning: string): readonly [number, number] {
  const first = firstWhere(words.count, (place) => compare(words, place, beginning) >= 0);
  return [first, firstWhere(words.count, (place) => compare(words, place, beginning) > 0)];
}

/** Compares the beginning of a word with the given beginning. */
function compare(words: PackedTexts, place: number, beginning: string): number {
  const length = words.lengthAt(place);
  for (let unit = 0; unit < beginning.length; unit += 1) {
    if (unit >= length) return -1;
    const difference = words.unitAt(place, unit) - beginning.charCodeAt(unit);
    if (difference !== 0) return difference;
  }
  return 0;
}
