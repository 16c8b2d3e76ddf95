import { CodedError } from '../../../domain/error.ts';

/** The memory that all bodies under work may take together. */
export class ByteBudget {
  readonly #maxBytes: number;
  #taken = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes bytes, and gives a function that returns them. Throws `rate-limited` if too much is taken. */
  take(bytes: number): () => void {
    if (this.#taken + bytes > this.#maxBytes) {
      throw new CodedError('rate-limited', 'too many large requests are under way: try again');
    }
    this.#taken += bytes;
    return () => {
      this.#taken -= bytes;
    };
  }
}
