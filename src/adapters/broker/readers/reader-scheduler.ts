import { LIMITS } from '../limits.ts';
import { REASON } from '../mqtt/reason-codes.ts';
import type { MessageSources, Reader } from './reader.ts';

export interface ReaderSchedulerOptions {
  readonly sources: MessageSources;
  readonly nowMs: () => number;
  /** A reader takes nothing, was cut off for that, missed messages, or does not acknowledge. */
  readonly onTrouble: (reader: Reader, detail: string) => void;
}

/** The bytes that a connected reader was given and has not taken. */
interface UnreadBytes {
  bytes: number;
  /** The last time that the reader took bytes, or was given bytes after it had taken all. */
  sinceMs: number;
}

/**
 * Passes messages on to connected readers, one batch each in turn. It has a slice of time in each turn of the event
 * loop, after the sockets of machines, and a budget of bytes that readers have not taken yet. Readers beyond it wait.
 */
export class ReaderScheduler {
  readonly #options: ReaderSchedulerOptions;
  readonly #unread = new Map<Reader, UnreadBytes>();
  #line: Iterator<[Reader, UnreadBytes]> | null = null;
  #turn: NodeJS.Immediate | null = null;
  #unreadBytes = 0;
  #isClosed = false;

  constructor(options: ReaderSchedulerOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#unread.size;
  }

  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  add(reader: Reader): void {
    this.#unread.set(reader, { bytes: 0, sinceMs: 0 });
    this.wake();
  }

  remove(reader: Reader): void {
    const unread = this.#unread.get(reader);
    if (unread === undefined) return;
    this.#unread.delete(reader);
    this.#unreadBytes -= unread.bytes;
    if (this.#unreadBytes + LIMITS.readerBacklogBytes >= LIMITS.unreadBytes) this.wake();
  }

  /** Schedules a turn, because there may be messages to send. */
  wake(): void {
    if (this.#unread.size === 0 || this.#isClosed) return;
    this.#turn ??= setImmediate(() => this.#serve());
  }

  close(): void {
    this.#isClosed = true;
    if (this.#turn !== null) clearImmediate(this.#turn);
  }

  /** Looks after readers that take nothing or acknowledge nothing. Call it about once a second. */
  sweep(): void {
    const nowMs = this.#options.nowMs();
    this.#cutOffStalled(nowMs);
    for (const reader of this.#unread.keys()) {
      this.#reportLeftOut(reader);
      // MQTT 5 forbids more unacknowledged messages than the client takes (MQTT-3.3.4-9).
      if (reader.connection?.encoding.isVersion5 === true || !reader.inFlight.stopsWaiting(nowMs)) continue;
      this.#options.onTrouble(reader, 'acknowledges nothing: messages are not sent to it again');
      this.wake();
    }
  }

  #reportLeftOut(reader: Reader): void {
    const { leftOut, connection } = reader;
    if (leftOut === 0 || connection === null) return;
    reader.leftOut = 0;
    const { maximumPacketBytes } = connection.encoding;
    this.#options.onTrouble(
      reader,
      `${leftOut} messages were left out: it takes packets of ${maximumPacketBytes} bytes`,
    );
  }

  /** Cuts off the slowest readers first; sooner while they hold half of the budget. */
  #cutOffStalled(nowMs: number): void {
    const owing = [...this.#unread].filter(([, { bytes }]) => bytes > 0).sort(([, a], [, b]) => a.sinceMs - b.sinceMs);
    for (const [reader, { bytes, sinceMs }] of owing) {
      const isUnderPressure = this.#unreadBytes > LIMITS.unreadBytes / 2;
      const timeoutMs = isUnderPressure ? LIMITS.stalledUnderPressureMs : LIMITS.stalledWriteMs;
      const stalledMs = nowMs - sinceMs;
      if (stalledMs < LIMITS.slowReaderMs) return;
      const detail = `read none of ${bytes} waiting bytes for ${Math.round(stalledMs / 1_000)} s`;
      this.#options.onTrouble(reader, stalledMs > timeoutMs ? `was cut off: it ${detail}` : detail);
      if (stalledMs > timeoutMs) reader.connection?.cutOff({ code: REASON.quotaExceeded, text: detail });
    }
  }

  #serve(): void {
    this.#turn = null;
    const untilMs = this.#options.nowMs() + LIMITS.readerSliceMs;
    let hasMore = false;
    for (let visits = this.#unread.size; visits > 0; visits--) {
      const [reader, unread] = this.#nextInLine();
      if (this.#mayServe(reader, unread)) hasMore = this.#serveOne(reader, unread) || hasMore;
      if (this.#options.nowMs() < untilMs) continue;
      hasMore = true;
      break;
    }
    if (hasMore) this.wake();
  }

  #nextInLine(): [Reader, UnreadBytes] {
    this.#line ??= this.#unread.entries();
    const next = this.#line.next();
    if (next.done !== true) return next.value;
    this.#line = null;
    return this.#nextInLine();
  }

  #mayServe({ connection }: Reader, unread: UnreadBytes): boolean {
    if (connection === null || this.#unreadBytes > LIMITS.unreadBytes) return false;
    return unread.bytes < LIMITS.readerBacklogBytes && connection.backlogBytes < LIMITS.readerBacklogBytes;
  }

  #serveOne(reader: Reader, unread: UnreadBytes): boolean {
    const { sources, nowMs, onTrouble } = this.#options;
    const missed = sources.feed.first - reader.cursor;
    if (missed > 0 && !reader.isPersistent) onTrouble(reader, `was too slow and missed up to ${missed} messages`);
    const { bytes, more } = reader.serve(sources, (taken) => this.#taken(reader, unread, taken));
    if (bytes > 0 && unread.bytes === 0) unread.sinceMs = nowMs();
    unread.bytes += bytes;
    this.#unreadBytes += bytes;
    return more;
  }

  #taken(reader: Reader, unread: UnreadBytes, bytes: number): void {
    if (this.#unread.get(reader) !== unread) return;
    unread.bytes -= bytes;
    unread.sinceMs = this.#options.nowMs();
    this.#unreadBytes -= bytes;
    this.wake();
  }
}
