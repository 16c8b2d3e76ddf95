import type { SendMemory, UpstreamRecord } from '../../../../flows/forward/upstream-ports.ts';
import type { Connection } from '../database/connection.ts';
import type { UpstreamNames } from './upstream-names.ts';

/** The memory of rows that went one by one, and the central server's ids for our profiles (D-30). */
export class SendMemories {
  readonly #begin;
  readonly #begun;
  readonly #names;
  readonly #forget;
  readonly #forgetUpTo;

  constructor(connection: Connection, names: UpstreamNames) {
    this.#names = names;
    this.#begin = connection.prepare<[number]>(
      'INSERT OR IGNORE INTO send_attempt SELECT seq FROM queue WHERE seq = ?',
    );
    this.#begun = connection.prepare<[number], unknown>('SELECT 1 FROM send_attempt WHERE seq = ?');
    this.#forget = connection.prepare<[number]>('DELETE FROM send_attempt WHERE seq = ?');
    this.#forgetUpTo = connection.prepare<[number]>('DELETE FROM send_attempt WHERE seq <= ?');
  }

  /** A removed row is not remembered: it may have gone with a batch while it was on its way. */
  note(record: UpstreamRecord): void {
    if (record.kind === 'sendBegun') this.#begin.run(record.seq);
    else this.#names.put(record.profileId, record.upstreamId, record.createdAt);
  }

  /** The row is gone. */
  forget(seq: number): void {
    this.#forget.run(seq);
  }

  /** All rows up to this one are gone. */
  forgetUpTo(seq: number): void {
    this.#forgetUpTo.run(seq);
  }

  of(seq: number, profileId: string | null): SendMemory {
    const name = profileId === null ? null : this.#names.of(profileId);
    return { isBegun: this.#begun.get(seq) !== undefined, name };
  }
}
