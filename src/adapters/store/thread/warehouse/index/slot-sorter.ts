/** Unknown values sort behind all others in both directions. */
export const UNKNOWN = Number.NEGATIVE_INFINITY;

export interface SlotOrder {
  readonly keys: Float64Array;
  readonly descending: boolean;
  /** A number that differs for every slot and decides between equal keys. */
  readonly ties: Float64Array;
}

/** The rows of a page as slots in order, and the number of all rows. */
export interface SlotPage {
  readonly total: number;
  readonly slots: readonly number[];
}

/**
 * Gives pages of slots in order. Only the slots of the page are sorted; separating them from the others takes a time in
 * proportion to their number. The memory is kept, because allocating megabytes for every page would be costly.
 */
export class SlotSorter {
  #slots = new Uint32Array(0);
  #keys = new Float64Array(0);
  #ties = new Float64Array(0);

  /** Sorts the slots that are 1 in the mask, and gives `take` of them from place `skip` on. */
  page(mask: Uint8Array, order: SlotOrder, skip: number, take: number): SlotPage {
    const total = this.#collect(mask, order);
    const from = Math.min(skip, total);
    const to = Math.min(from + take, total);
    if (from === to) return { total, slots: [] };
    if (from > 0) this.#part(from, 0, total);
    if (to < total) this.#part(to, from, total);
    return { total, slots: this.#sorted(from, to) };
  }

  #collect(mask: Uint8Array, { keys, descending, ties }: SlotOrder): number {
    if (this.#slots.length < mask.length) {
      this.#slots = new Uint32Array(mask.length);
      this.#keys = new Float64Array(mask.length);
      this.#ties = new Float64Array(mask.length);
    }
    let place = 0;
    for (let slot = 0; slot < mask.length; slot += 1) {
      if (mask[slot] === 0) continue;
      const key = keys[slot] ?? UNKNOWN;
      const directed = descending ? -key : key;
      this.#slots[place] = slot;
      this.#keys[place] = key === UNKNOWN ? Number.POSITIVE_INFINITY : directed;
      this.#ties[place] = ties[slot] ?? 0;
      place += 1;
    }
    return place;
  }

  /**
   * Moves the slots that belong before `place` to the front, among the places from `from` up to but without `to`
   * (Hoare's selection).
   */
  #part(place: number, from: number, to: number): void {
    let low = from;
    let high = to - 1;
    while (low < high) {
      const split = this.#split(low, high);
      if (place <= split) high = split;
      else low = split + 1;
    }
  }

  #sorted(from: number, to: number): readonly number[] {
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
    // The difference of two infinities is NaN.
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
