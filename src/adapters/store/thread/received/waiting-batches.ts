import type { ReadBatch } from './read-batch.ts';

/** The unpacked bytes of batches that are read and not applied yet. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Batches that are read and not applied yet. One more is refused for now, and its gateway sends it again. */
const MAX_WAITING = 2_000;
/** A batch that is not applied after this time is forgotten; its gateway sends it again. */
const MAX_WAIT_MS = 60_000;

interface Waiting {
  readonly batch: ReadBatch;
  askedAt: number;
}

/** Batches that are read and wait for their gateway's turn, by ticket. */
export class WaitingBatches {
  readonly #waiting = new Map<number, Waiting>();
  #bytes = 0;
  #lastTicket = 0;

  hasRoom(): boolean {
    this.#dropForgotten();
    return this.#bytes < MAX_WAITING_BYTES && this.#waiting.size < MAX_WAITING;
  }

  add(batch: ReadBatch): number {
    this.#lastTicket += 1;
    this.#waiting.set(this.#lastTicket, { batch, askedAt: performance.now() });
    this.#bytes += batch.bytes;
    return this.#lastTicket;
  }

  find(ticket: number): ReadBatch | null {
    const waiting = this.#waiting.get(ticket);
    if (waiting === undefined) return null;
    waiting.askedAt = performance.now();
    return waiting.batch;
  }

  drop(ticket: number): void {
    const waiting = this.#waiting.get(ticket);
    if (waiting === undefined) return;
    this.#waiting.delete(ticket);
    this.#bytes -= waiting.batch.bytes;
  }

  #dropForgotten(): void {
    const before = performance.now() - MAX_WAIT_MS;
    for (const [ticket, { askedAt }] of this.#waiting) if (askedAt < before) this.drop(ticket);
  }
}
