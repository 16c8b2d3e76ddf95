import type { SendMemory, UpstreamRecord } from '../../../../flows/upstream-ports.ts';
import type { Connection } from '../connection.ts';

/** What is remembered of rows that went one by one, and what the central server calls our profiles (D-30). */
export class SendMemories {
  readonly #begin;
  readonly #name;
  readonly #begun;
  readonly #named;
  readonly #forget;
  readonly #forgetUpTo;

  constructor(connection: Connection) {
    this.#begin = connection.prepare<[number]>('INSERT OR IGNORE INTO send_begun SELECT seq FROM queue WHERE seq = ?');
    this.#name = connection.prepare<[string, string]>('REPLACE INTO upstream_profile VALUES (?, ?)');
    this.#begun = connection.prepare<[number], unknown>('SELECT 1 FROM send_begun WHERE seq = ?');
    this.#named = connection.prepare<[string], { readonly upstream_id: string }>(
      'SELECT upstream_id FROM upstream_profile WHERE profile_id = ?',
    );
    this.#forget = connection.prepare<[number]>('DELETE FROM send_begun WHERE seq = ?');
    this.#forgetUpTo = connection.prepare<[number]>('DELETE FROM send_begun WHERE seq <= ?');
  }

  /** Of a row that is gone nothing is remembered: it may have gone with a batch while it was on its way. */
  note(record: UpstreamRecord): void {
    if (record.kind === 'sendBegun') this.#begin.run(record.seq);
    else this.#name.run(record.profileId, record.upstreamId);
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
    const named = profileId === null ? undefined : this.#named.get(profileId);
    return { isBegun: this.#begun.get(seq) !== undefined, upstreamProfileId: named?.upstream_id ?? null };
  }
}
