/** Bytes of the JSON of the records in a batch. A batch has at least one record, of any size. */
const MAX_BYTES = 1_048_576;
/** Points in a batch. If it has points, it has at least one row of them, of any length. */
const MAX_POINTS = 50_000;
/** Batches shrink to this part of the bounds at least. They stay above the size at which a record is set aside. */
const SMALLEST_SHARE = 1 / 64;

/** A single record up to this size is never set aside for 413: then the server, or a proxy, takes no batch at all. */
export const SMALL_RECORD_BYTES = MAX_BYTES * SMALLEST_SHARE;

/** The bounds of a batch. They shrink when the server takes no larger batch, until the next start. */
export class BatchBounds {
  #share = 1;

  get bytes(): number {
    return MAX_BYTES * this.#share;
  }

  get points(): number {
    return MAX_POINTS * this.#share;
  }

  /** Halves the bounds; gives false if they are as small as they may be. */
  shrink(): boolean {
    if (this.#share <= SMALLEST_SHARE) return false;
    this.#share /= 2;
    return true;
  }

  /** A single record was too large, and the batches were not. */
  restore(): void {
    this.#share = 1;
  }
}
