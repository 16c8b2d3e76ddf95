/** Unknown values sort behind all others, whichever way. */
export const UNKNOWN = Number.NEGATIVE_INFINITY;

export interface SlotOrder {
  readonly keys: Float64Array;
  readonly descending: boolean;
  /** Different for every slot: decides between equal keys. */
  readonly ties: Float64Array;
}

/**
 * The slots at the places from `skip` on, `take` of them, of the given ones in order. Only these are sorted: the others
 * are parted from them, which takes a time in proportion to their number.
 */
export function slotPage(slots: Uint32Array, order: SlotOrder, skip: number, take: number): readonly number[] {
  const from = Math.min(skip, slots.length);
  const to = Math.min(from + take, slots.length);
  if (from === to) return [];
  const sorting = new Sorting(slots, order);
  if (from > 0) sorting.part(from, 0);
  if (to < slots.length) sorting.part(to, from);
  return sorting.sorted(from, to);
}

class Sorting {
  readonly #slots: Uint32Array;
  readonly #keys: Float64Array;
  readonly #ties: Float64Array;

  constructor(slots: Uint32Array, { keys, descending, ties }: SlotOrder) {
    this.#slots = slots.slice();
    this.#keys = new Float64Array(slots.length);
    this.#ties = new Float64Array(slots.length);
    for (let place = 0; place < slots.length; place += 1) {
      const slot = slots[place] ?? 0;
      const key = keys[slot] ?? UNKNOWN;
      const directed = descending ? -key : key;
      this.#keys[place] = key === UNKNOWN ? Number.POSITIVE_INFINITY : directed;
      this.#ties[place] = ties[slot] ?? 0;
    }
  }

  /** Brings what belongs before `place` there, for places from `from` on (Hoare's selection). */
  part(place: number, from: number): void {
    let low = from;
    let high = this.#slots.length - 1;
    while (low < high) {
      const split = this.#split(low, high);
      if (place <= split) high = split;
      else low = split + 1;
    }
  }

  sorted(from: number, to: number): readonly number[] {
    const places = Array.from({ length: to - from }, (_, index) => from + index);
    places.sort((one, other) => this.#compare(one, this.#keys[other] ?? 0, this.#ties[other] ?? 0));
    return places.map((place) => this.#slots[place] ?? 0);
  }

  #split(low: number, high: number): number {
    const middle = (low + high) >>> 1;
    const key = this.#keys[middle] ?? 0;
    const tie = this.#ties[middle] ?? 0;
    let left = low - 1;
    let right = high + 1;
    for (;;) {
      do left += 1;
      while (this.#compare(left, key, tie) < 0);
      do right -= 1;
      while (this.#compare(right, key, tie) > 0);
      if (left >= right) return right;
      this.#swap(left, right);
    }
  }

  #compare(place: number, key: number, tie: number): number {
    const own = this.#keys[place] ?? 0;
    // A difference of infinities would be no number.
    if (own !== key) return own < key ? -1 : 1;
    return (this.#ties[place] ?? 0) - tie;
  }

  #swap(one: number, other: number): void {
    exchange(this.#slots, one, other);
    exchange(this.#keys, one, other);
    exchange(this.#ties, one, other);
  }
}

function exchange(values: Uint32Array | Float64Array, one: number, other: number): void {
  const value = values[one] ?? 0;
  values[one] = values[other] ?? 0;
  values[other] = value;
}
