import type { LegacyWrite } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { Connection } from '../database/connection.ts';

/** Remembers the entities (operation.ts) whose records here are newer than the server's. */

/** The time after an own change in which the server may still show the former state, in milliseconds. */
const LAG_MS = 3_000;
/** The number of changed entities that are known by name. For the others only the latest possible time is known. */
export const MAX_KNOWN_CHANGES = 100_000;

/**
 * The records that the mirror leaves alone (UP-07): those that are queued for the server or unconfirmed, and those that
 * were changed here, or were still queued, when the server was asked. The server's answer may be older than the change.
 */
export class LocalChanges {
  /** The entries are in the order of their last change. */
  readonly #changedAt = new Map<string, number>();
  /** The latest change of the entities that are no longer known by name, by the prefix of the entity. */
  readonly #forgottenAt = new Map<string, number>();
  readonly #isMirroring: boolean;
  readonly #queuedBefore = new Map<string, ReadonlySet<string>>();
  readonly #isQueued;
  readonly #queuedFrom;
  readonly #openWrites;
  /** Counts changes by the prefix of their entity: an unchanged count means an unchanged table. */
  readonly #counts = new Map<string, number>();

  /** `isMirroring` is false if no reading will ask for changes. */
  constructor(connection: Connection, isMirroring: boolean) {
    this.#isMirroring = isMirroring;
    this.#isQueued = connection.prepare<[string], number>('SELECT 1 FROM queue_head WHERE entity = ?').pluck();
    this.#queuedFrom = connection
      .prepare<[string, string], string>('SELECT entity FROM queue_head WHERE entity >= ? AND entity < ?')
      .pluck();
    this.#openWrites = connection.prepare<[], string>('SELECT json FROM legacy_write').pluck();
  }

  note(entity: string): void {
    const prefix = prefixOf(entity);
    this.#counts.set(prefix, this.countOf(prefix) + 1);
    if (!this.#isMirroring) return;
    this.#changedAt.delete(entity);
    this.#changedAt.set(entity, performance.now());
    if (this.#changedAt.size > MAX_KNOWN_CHANGES) this.#forgetOldest();
  }

  countOf(prefix: string): number {
    return this.#counts.get(prefix) ?? 0;
  }

  /** Begins a reading: gives a function that tells whether an entity is newer here than in the reading. */
  watch(prefix: string): ReadingWatch {
    const beganAt = performance.now();
    for (const [entity, at] of this.#changedAt) {
      if (at < beganAt - LAG_MS && prefixOf(entity) === prefix) this.#changedAt.delete(entity);
    }
    // Changes queued at the reading before may have reached the server only just now.
    const before = this.#queuedBefore.get(prefix) ?? NOTHING;
    const queued = new Set(this.#queuedFrom.all(`${prefix}:`, `${prefix};`));
    this.#queuedBefore.set(prefix, queued);
    return {
      isNewer: (entity) => queued.has(entity) || before.has(entity) || this.#isHeld(entity, beganAt - LAG_MS),
    };
  }

  /** Watches a record that is asked for once more because the server refused an act done here (D-18). */
  watchOne(): ReadingWatch {
    const beganAt = performance.now();
    return { isNewer: (entity) => this.#isHeld(entity, beganAt) };
  }

  hasQueued(prefix: string): boolean {
    return this.#queuedFrom.get(`${prefix}:`, `${prefix};`) !== undefined;
  }

  #isHeld(entity: string, sinceMs: number): boolean {
    if ((this.#changedAt.get(entity) ?? Number.NEGATIVE_INFINITY) >= sinceMs) return true;
    if (this.#forgottenSince(prefixOf(entity), sinceMs)) return true;
    return this.#isQueued.get(entity) !== undefined || this.#unconfirmed().has(entity);
  }

  #forgottenSince(prefix: string, sinceMs: number): boolean {
    return (this.#forgottenAt.get(prefix) ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }

  #forgetOldest(): void {
    for (const [entity, at] of this.#changedAt) {
      this.#changedAt.delete(entity);
      this.#forgottenAt.set(prefixOf(entity), at);
      return;
    }
  }

  #unconfirmed(): ReadonlySet<string> {
    const entities = new Set<string>();
    for (const json of this.#openWrites.iterate()) {
      // Only LegacyWriteRows writes it.
      const { coilId, purpose }: LegacyWrite = JSON.parse(json);
      entities.add(`coil:${coilId}`);
      if (purpose.type !== 'move') entities.add(`task:${purpose.taskId}`);
    }
    return entities;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

export interface ReadingWatch {
  isNewer(entity: string): boolean;
}

function prefixOf(entity: string): string {
  return entity.slice(0, entity.indexOf(':'));
}
