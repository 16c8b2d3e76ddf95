import { LIMITS } from '../limits.ts';
import type { MessageSources, Reader } from './reader.ts';

export interface PumpOptions {
  readonly sources: MessageSources;
  readonly nowMs: () => number;
  /** A reader takes nothing, was cut off for that, missed messages, or does not acknowledge. */
  readonly onTrouble: (reader: Reader, detail: string) => void;
}

/** The bytes that a connected reader was given and has not taken. */
interface Debt {
  bytes: number;
  /** The last time that the reader took bytes, or was given bytes after it had taken all. */
  sinceMs: number;
}

/**
 * Passes messages on to connected readers, one batch each in turn. It has a slice of time in each turn of the event
 * loop, after the sockets of machines, and a budget of bytes that readers have not taken yet. Readers beyond it wait.
 */
export class ReaderPump {
  readonly #options: PumpOptions;
  readonly #debts = new Map<Reader, Debt>();
  #line: Iterator<[Reader, Debt]> | null = null;
  #turn: NodeJS.Immediate | null = null;
  #unreadBytes = 0;
  #isClosed = false;

  constructor(options: PumpOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#debts.size;
  }

  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  add(reader: Reader): void {
    this.#debts.set(reader, { bytes: 0, sinceMs: 0 });
    this.wake();
  }

  remove(reader: Reader): void {
    const debt = this.#debts.get(reader);
    if (debt === undefined) return;
    this.#debts.delete(reader);
    this.#unreadBytes -= debt.bytes;
    if (this.#unreadBytes + LIMITS.readerBacklogBytes >= LIMITS.unreadBytes) this.wake();
  }

  /** Starts the pump, because there may be messages to send. */
  wake(): void {
    if (this.#debts.size === 0 || this.#isClosed) return;
    this.#turn ??= setImmediate(() => this.#serve());
  }

  close(): void {
    this.#isClosed = true;
    if (this.#turn !== null) clearImmediate(this.#turn);
  }

  /** Looks after readers that take nothing or acknowledge nothing. To be called about once a second. */
  sweep(): void {
    const nowMs = this.#options.nowMs();
    this.#cutOffStalled(nowMs);
    for (const reader of this.#debts.keys()) {
      if (!reader.inFlight.stopsWaiting(nowMs)) continue;
      this.#options.onTrouble(reader, 'acknowledges nothing: messages are not sent to it again');
      this.wake();
    }
  }

  /** Cuts off the slowest readers first; sooner while they hold half of the budget. */
  #cutOffStalled(nowMs: number): void {
    const owing = [...this.#debts].filter(([, { bytes }]) => bytes > 0).sort(([, a], [, b]) => a.sinceMs - b.sinceMs);
    for (const [reader, { bytes, sinceMs }] of owing) {
      const isUnderPressure = this.#unreadBytes > LIMITS.unreadBytes / 2;
      const patienceMs = isUnderPressure ? LIMITS.stalledUnderPressureMs : LIMITS.stalledWriteMs;
      const stalledMs = nowMs - sinceMs;
      if (stalledMs < LIMITS.slowReaderMs) return;
      const detail = `took none of ${bytes} bytes for ${Math.round(stalledMs / 1_000)} s`;
      this.#options.onTrouble(reader, stalledMs > patienceMs ? `was cut off: it ${detail}` : detail);
      if (stalledMs > patienceMs) reader.connection?.cutOff();
    }
  }

  #serve(): void {
    this.#turn = null;
    const untilMs = this.#options.nowMs() + LIMITS.readerSliceMs;
    let hasMore = false;
    for (let visits = this.#debts.size; visits > 0; visits--) {
      const [reader, debt] = this.#nextInLine();
      if (this.#mayServe(reader, debt)) hasMore = this.#serveOne(reader, debt) || hasMore;
      if (this.#options.nowMs() < untilMs) continue;
      hasMore = true;
      break;
    }
    if (hasMore) this.wake();
  }

  #nextInLine(): [Reader, Debt] {
    this.#line ??= this.#debts.entries();
    const next = this.#line.next();
    if (next.done !== true) return next.value;
    this.#line = null;
    return this.#nextInLine();
  }

  #mayServe({ connection }: Reader, debt: Debt): boolean {
    if (connection === null || this.#unreadBytes > LIMITS.unreadBytes) return false;
    return debt.bytes < LIMITS.readerBacklogBytes && connection.backlogBytes < LIMITS.readerBacklogBytes;
  }

  #serveOne(reader: Reader, debt: Debt): boolean {
    const { sources, nowMs, onTrouble } = this.#options;
    const missed = sources.feed.first - reader.cursor;
    if (missed > 0 && !reader.isPersistent) onTrouble(reader, `was too slow and missed up to ${missed} messages`);
    const { bytes, more } = reader.serve(sources, (taken) => this.#taken(reader, debt, taken));
    if (bytes > 0 && debt.bytes === 0) debt.sinceMs = nowMs();
    debt.bytes += bytes;
    this.#unreadBytes += bytes;
    return more;
  }

  #taken(reader: Reader, debt: Debt, bytes: number): void {
    if (this.#debts.get(reader) !== debt) return;
    debt.bytes -= bytes;
    debt.sinceMs = this.#options.nowMs();
    this.#unreadBytes -= bytes;
    this.wake();
  }
}
