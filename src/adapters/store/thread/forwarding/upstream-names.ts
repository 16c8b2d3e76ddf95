import type { UpstreamName } from '../../../../flows/forward/upstream-ports.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { upstreamProfile } from '../database/schema/forwarding.ts';

interface Row {
  readonly upstream_id: string;
  readonly server: string;
  readonly created_at: number | null;
}

/**
 * The central server's names of our profiles (D-30). A name is valid at the address that gave it. At another address
 * the same name may belong to another record. It is valid there too if the record was made at the same moment, because
 * then the server has moved.
 */
export class UpstreamNames {
  readonly #server: string | null;
  readonly #put;
  readonly #named;
  readonly #ownHere;
  readonly #ownMoved;
  readonly #called;
  readonly #see;

  /** `server`: the address of the present central server; null without one. */
  constructor(connection: Connection, server: string | null) {
    this.#server = server;
    this.#put = insertInto(connection, upstreamProfile, { or: 'REPLACE' });
    this.#named = connection.prepare<[string], Row>(
      'SELECT upstream_id, server, created_at FROM upstream_profile WHERE profile_id = ?',
    );
    this.#ownHere = connection
      .prepare<[string, string | null], string>(
        'SELECT profile_id FROM upstream_profile WHERE upstream_id = ? AND server = ? LIMIT 1',
      )
      .pluck();
    this.#ownMoved = connection
      .prepare<[string, number | null], string>(
        'SELECT profile_id FROM upstream_profile WHERE upstream_id = ? AND created_at = ? LIMIT 1',
      )
      .pluck();
    this.#called = connection
      .prepare<[string], string>('SELECT profile_id FROM upstream_profile WHERE upstream_id = ?')
      .pluck();
    this.#see = connection.prepare<[string | null, number, string, string, string | null, number]>(
      `UPDATE upstream_profile SET server = ?, created_at = ?
       WHERE profile_id = ? AND upstream_id = ? AND (server <> ? OR created_at IS NOT ?)`,
    );
  }

  /** `createdAt` is null if the server does not give it. To be called within a transaction, like `seen`. */
  put(profileId: string, upstreamId: string, createdAt: number | null): void {
    this.#put({ profileId, upstreamId, server: this.#server, createdAt });
  }

  /** Null if no name is known. */
  of(profileId: string): UpstreamName | null {
    const row = this.#named.get(profileId);
    if (row === undefined) return null;
    return { upstreamId: row.upstream_id, createdAt: row.created_at, isElsewhere: row.server !== this.#server };
  }

  /**
   * Our id of the profile that the central server knows as `upstreamId`; null if no such profile is known. `createdAt`
   * is the time at which that server made it: it identifies the profile if the server has moved to another address.
   */
  ownOf(upstreamId: string, createdAt: number | null): string | null {
    return this.#ownHere.get(upstreamId, this.#server) ?? this.#ownMoved.get(upstreamId, createdAt) ?? null;
  }

  /** The ids of all own profiles that a central server, at any address, has called by this id. */
  allCalled(upstreamId: string): readonly string[] {
    return this.#called.all(upstreamId);
  }

  /** Notes that the present server has the profile under that name, made at `createdAt` by its clock. */
  seen(profileId: string, upstreamId: string, createdAt: number): void {
    this.#see.run(this.#server, createdAt, profileId, upstreamId, this.#server, createdAt);
  }
}
