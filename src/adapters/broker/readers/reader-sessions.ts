import type { Clock } from '../../../flows/ports.ts';
import type { BrokerRow } from '../../../flows/store-ports.ts';
import { LIMITS } from '../limits.ts';
import type { SubscriptionOptions } from '../mqtt/subscribe-packet.ts';
import type { GatheredCommits } from '../persistence/gathered-commits.ts';
import { deleteRow, type Journal, KEY_SEPARATOR, putRow } from '../persistence/journal.ts';
import { filterBytes } from './filter-index.ts';
import type { Sent } from './in-flight.ts';
import { Reader } from './reader.ts';
import type { Qos } from './reader-filters.ts';

/**
 * One session's row: its subscriptions, and the wall-clock time since which its client is away, or null if it is
 * connected.
 */
interface SessionRow {
  readonly subscriptions: readonly (readonly [string, { readonly qos: Qos } & Partial<SubscriptionOptions>])[];
  readonly awaySince: number | null;
  /** The time by which it outlives its connection; left out where it is the longest one. */
  readonly expiryMs?: number;
}

/** The position of a session. It has a row of its own, because it changes often and the subscriptions may be many. */
interface PositionRow {
  readonly acknowledgedTo: number;
  readonly inFlight: readonly (readonly [number, Sent])[];
}

/** A position as it was last written. */
interface SavedPosition {
  readonly acknowledgedTo: number;
  readonly changes: number;
}

/** Sets the rows of positions apart from those of subscriptions in the same table. */
const POSITION_KEY_PREFIX = `position${KEY_SEPARATOR}`;
const SESSION_BYTES = 2_000;
/** One sweep writes at most this many positions; the next sweep writes the others. */
const POSITIONS_PER_SWEEP = 100;

export interface SessionsOptions {
  readonly journal: Journal;
  readonly commits: GatheredCommits;
  readonly clock: Clock;
  /** An absent session was forgotten to make room for another client. */
  readonly onForgotten: (clientId: string, detail: string) => void;
  readonly isServedElsewhere: (clientId: string) => (topic: string) => boolean;
}

/** Persistent sessions of clients that subscribe (MQTT-10). They outlive a restart, and are bounded in number and bytes. */
export class ReaderSessions {
  readonly #options: SessionsOptions;
  readonly #readers = new Map<string, Reader>();
  /**
   * Times of the monotonic clock, because a change of the wall clock must not end a session (D-04). The session that is
   * away for the longest comes first.
   */
  readonly #awaySinceMs = new Map<string, number>();
  readonly #savedPositions = new Map<string, SavedPosition>();
  #bytes = 0;

  constructor(options: SessionsOptions, rows: readonly BrokerRow[]) {
    this.#options = options;
    const positions = new Map(
      rows.flatMap(({ key, value }): [string, PositionRow][] =>
        key.startsWith(POSITION_KEY_PREFIX)
          ? [[key.slice(POSITION_KEY_PREFIX.length), parsed<PositionRow>(value)]]
          : [],
      ),
    );
    for (const { key, value } of rows) {
      if (!key.startsWith(POSITION_KEY_PREFIX)) this.#restore(key, parsed<SessionRow>(value), positions.get(key));
    }
    const longestAwayFirst = [...this.#awaySinceMs].sort(([, a], [, b]) => a - b);
    this.#awaySinceMs.clear();
    for (const [clientId, sinceMs] of longestAwayFirst) this.#awaySinceMs.set(clientId, sinceMs);
  }

  get size(): number {
    return this.#readers.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  all(): Iterable<Reader> {
    return this.#readers.values();
  }

  get(clientId: string): Reader | undefined {
    return this.#readers.get(clientId);
  }

  /**
   * Opens the session of a client that has come in, or gives null if there is no room for it. It outlives the connection
   * by `expiryMs`.
   */
  open(clientId: string, next: number, expiryMs: number): Reader | null {
    const known = this.#readers.get(clientId);
    if (known === undefined && !this.#makeRoom(SESSION_BYTES, clientId)) return null;
    const reader = known ?? new Reader(clientId, true, next, this.#options.isServedElsewhere(clientId));
    if (known === undefined) this.#add(reader);
    const isChanged = known?.expiryMs !== Math.min(expiryMs, LIMITS.sessionExpiryMs);
    reader.expiryMs = Math.min(expiryMs, LIMITS.sessionExpiryMs);
    if (this.#awaySinceMs.delete(clientId) || isChanged) {
      putRow(this.#options.journal, 'session', clientId, this.#rowOf(reader));
    }
    return reader;
  }

  /** Whether a session may have one more filter. If need be, the session that is away for the longest is forgotten. */
  hasRoomFor(reader: Reader, filter: string): boolean {
    return this.#makeRoom(filterBytes(filter), reader.clientId);
  }

  /** To be called for each filter that is added to a session or taken from it. */
  count(filter: string, by: 1 | -1): void {
    this.#bytes += by * filterBytes(filter);
  }

  /** Resolves when the subscriptions of a session are on disk. */
  save(reader: Reader): Promise<void> {
    const row = { table: 'session', key: reader.clientId, value: this.#rowOf(reader) } as const;
    return this.#options.commits.write({ kind: 'brokerPut', row });
  }

  left(reader: Reader): void {
    const { clientId } = reader;
    if (this.#readers.get(clientId) !== reader) return;
    this.#awaySinceMs.set(clientId, this.#options.clock.now().monotonicMs);
    putRow(this.#options.journal, 'session', clientId, this.#rowOf(reader));
    this.#savePosition(reader);
  }

  /** Ends a session; gives it, so that its filters can be taken out of the index. */
  forget(clientId: string): Reader | undefined {
    const reader = this.#readers.get(clientId);
    if (reader === undefined) return undefined;
    this.#readers.delete(clientId);
    this.#awaySinceMs.delete(clientId);
    this.#bytes -= SESSION_BYTES;
    for (const [filter] of reader.filters.entries()) this.count(filter, -1);
    deleteRow(this.#options.journal, 'session', clientId);
    if (this.#savedPositions.delete(clientId)) {
      deleteRow(this.#options.journal, 'session', POSITION_KEY_PREFIX + clientId);
    }
    return reader;
  }

  /** Sessions that no client came back to in time. */
  *expired(): Generator<string> {
    const { monotonicMs } = this.#options.clock.now();
    for (const [clientId, sinceMs] of this.#awaySinceMs) {
      if (monotonicMs - sinceMs > (this.#readers.get(clientId)?.expiryMs ?? 0)) yield clientId;
    }
  }

  /** Writes the positions of connected sessions, so that few messages are sent twice after the process was killed. */
  savePositions(): void {
    let saved = 0;
    for (const reader of this.#readers.values()) {
      if (reader.connection !== null && this.#savePosition(reader) && ++saved === POSITIONS_PER_SWEEP) return;
    }
  }

  #savePosition(reader: Reader): boolean {
    const { clientId, acknowledgedTo, inFlight } = reader;
    const { changes } = inFlight;
    const saved = this.#savedPositions.get(clientId);
    if (saved?.acknowledgedTo === acknowledgedTo && saved.changes === changes) return false;
    this.#savedPositions.set(clientId, { acknowledgedTo, changes });
    const row: PositionRow = { acknowledgedTo, inFlight: inFlight.entries() };
    putRow(this.#options.journal, 'session', POSITION_KEY_PREFIX + clientId, Buffer.from(JSON.stringify(row)));
    return true;
  }

  #restore(clientId: string, row: SessionRow, position: PositionRow | undefined): void {
    const { subscriptions, awaySince, expiryMs = LIMITS.sessionExpiryMs } = row;
    const { monotonicMs, wallMs } = this.#options.clock.now();
    const cursor = position?.acknowledgedTo ?? 0;
    const reader = new Reader(clientId, true, cursor, this.#options.isServedElsewhere(clientId));
    for (const [packetId, sent] of position?.inFlight ?? []) reader.inFlight.restore(packetId, sent);
    for (const [filter, options] of subscriptions) {
      reader.filters.set(filter, { ...NO_OPTIONS, ...options });
      this.count(filter, 1);
    }
    reader.expiryMs = expiryMs;
    this.#add(reader);
    if (position !== undefined) this.#savedPositions.set(clientId, { acknowledgedTo: cursor, changes: 0 });
    const graceMs = expiryMs > LIMITS.sessionGraceMs ? LIMITS.sessionGraceMs : 0;
    const awayMs = Math.min(wallMs - (awaySince ?? wallMs), expiryMs - graceMs);
    this.#awaySinceMs.set(clientId, monotonicMs - Math.max(0, awayMs));
  }

  #add(reader: Reader): void {
    this.#readers.set(reader.clientId, reader);
    this.#bytes += SESSION_BYTES;
  }

  #makeRoom(bytes: number, clientId: string): boolean {
    while (this.#readers.size >= LIMITS.sessions || this.#bytes + bytes > LIMITS.sessionBytes) {
      const longestAway = this.#awaySinceMs.keys().next();
      if (longestAway.done === true) return false;
      this.#options.onForgotten(longestAway.value, `its session made room for client ${clientId}`);
      if (this.#readers.has(longestAway.value)) return false;
    }
    return true;
  }

  #rowOf(reader: Reader): Uint8Array {
    const { monotonicMs, wallMs } = this.#options.clock.now();
    const awaySinceMs = this.#awaySinceMs.get(reader.clientId);
    const row: SessionRow = {
      subscriptions: reader.filters.entries().map(([filter, options]) => [filter, storedOptions(options)]),
      awaySince: awaySinceMs === undefined ? null : Math.round(wallMs - (monotonicMs - awaySinceMs)),
      ...(reader.expiryMs !== LIMITS.sessionExpiryMs && { expiryMs: reader.expiryMs }),
    };
    return Buffer.from(JSON.stringify(row));
  }
}

const NO_OPTIONS = { noLocal: false, retainAsPublished: false, retainHandling: 0, identifier: 0 } as const;

/** The options that differ from those of MQTT 3.1.1. */
function storedOptions({ qos, noLocal, retainAsPublished, identifier }: SubscriptionOptions) {
  return {
    qos,
    ...(noLocal && { noLocal }),
    ...(retainAsPublished && { retainAsPublished }),
    ...(identifier !== 0 && { identifier }),
  };
}

/** `soundRows` has found before that the rows are sound JSON. */
function parsed<Row>(value: Uint8Array): Row {
  return JSON.parse(Buffer.from(value).toString('utf8')) as Row;
}
