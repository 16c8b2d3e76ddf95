/**
 * Bytes that come in pieces, gathered in one buffer: a thousand pieces of one byte take the memory of a thousand bytes,
 * not of a thousand buffers.
 */
export class GatheredBytes {
  readonly #maxBytes: number;
  #buffer: Buffer<ArrayBuffer> | null = null;
  #length = 0;

  /** No more than `maxBytes` are ever appended. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory that the bytes take. */
  get capacity(): number {
    return this.#buffer?.length ?? 0;
  }

  append(piece: Buffer<ArrayBuffer>): void {
    this.#buffer = this.#buffer === null ? piece : this.#appended(this.#buffer, piece);
    this.#length += piece.length;
  }

  /** The bytes up to now; null without any. */
  bytes(): Buffer<ArrayBuffer> | null {
    return this.#buffer?.subarray(0, this.#length) ?? null;
  }

  /** The buffer is doubled if the piece does not fit. */
  #appended(bytes: Buffer<ArrayBuffer>, piece: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    const needed = this.#length + piece.length;
    const hasRoom = needed <= bytes.length;
    const doubled = Math.min(2 * bytes.length, this.#maxBytes);
    const target = hasRoom ? bytes : Buffer.allocUnsafeSlow(Math.max(needed, doubled));
    if (!hasRoom) bytes.copy(target, 0, 0, this.#length);
    piece.copy(target, this.#length);
    return target;
  }
}
