import { lossesAfter, type Misses } from '../../../../domain/mirror/losses.ts';
import { mirroredProfile, profileAfter } from '../../../../domain/mirror/mirrored-profile.ts';
import { archivedProfile } from '../../../../domain/profile/library.ts';
import type { Profile } from '../../../../domain/profile/profile.ts';
import { createdAtOf } from '../../../../domain/sync/profile-match.ts';
import type { ProfilePageRead } from '../../../../flows/mirror/mirror-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';
import { transact } from '../database/transact.ts';
import type { UpstreamNames } from '../forwarding/upstream-names.ts';
import type { ProfileQueries } from '../profiles/profile-queries.ts';
import type { LocalChanges, ReadingWatch } from './local-changes.ts';
import { digestOf } from './page-memory.ts';
import { recordsOf } from './record-list.ts';

/** Refused records of one answer that diagnostics names. */
const MAX_REFUSALS_TOLD = 5;
const ROWS_AT_ONCE = 500;
const UPSTREAM = 'central server';

/**
 * A profile that a reading met: its ids here and there, and the time at which the server made it, or null if the server
 * does not give it.
 */
interface Met {
  readonly profileId: string;
  readonly upstreamId: string;
  readonly createdAt: number | null;
}

interface Reading {
  readonly watch: ReadingWatch;
  readonly seen: Set<string>;
  readonly digests: Set<string>;
}

/** Reads pages of profiles of the central server and gives those that differ from the ones here. */
export class ProfileReading {
  readonly #profiles: ProfileQueries;
  readonly #local: LocalChanges;
  readonly #connection: Connection;
  readonly #names: UpstreamNames;
  readonly #idsAfter;
  #misses: Misses = new Map();
  #reading: Reading | null = null;

  constructor(
    connection: Connection,
    profiles: ProfileQueries,
    { localChanges, upstreamNames }: { readonly localChanges: LocalChanges; readonly upstreamNames: UpstreamNames },
  ) {
    this.#connection = connection;
    this.#profiles = profiles;
    this.#local = localChanges;
    this.#names = upstreamNames;
    this.#idsAfter = connection
      .prepare<[string, number], string>(
        'SELECT profile_id FROM profile WHERE archived = 0 AND profile_id > ? ORDER BY profile_id LIMIT ?',
      )
      .pluck();
  }

  begin(): void {
    this.#reading = { watch: this.#local.watch('profile'), seen: new Set(), digests: new Set() };
  }

  async page(bytes: Uint8Array): Promise<ProfilePageRead> {
    const reading = this.#requireReading();
    const list = recordsOf(bytes);
    if (!list.ok) return { kind: 'fault', detail: list.fault };
    const records = list.records.length;
    const digest = digestOf(bytes);
    if (records > 0 && reading.digests.has(digest)) return { kind: 'repeated', records };
    reading.digests.add(digest);
    const changed: Profile[] = [];
    const refused: string[] = [];
    const met: Met[] = [];
    const slice = new Slice();
    for (const value of list.records) {
      const read = mirroredProfile(value);
      if (read.ok) {
        const own = this.#ownOf(read.record);
        met.push(own);
        reading.seen.add(own.profileId);
        changed.push(...this.#changeBy(read.record, own, reading.watch));
      } else {
        if (read.id !== null) for (const id of [read.id, ...this.#names.allCalled(read.id)]) reading.seen.add(id);
        refused.push(read.fault);
      }
      await slice.pause();
    }
    this.#note(met);
    return { kind: 'read', records, changed, refused: refused.slice(0, MAX_REFUSALS_TOLD) };
  }

  /** The central server's id for a profile of ours. */
  nameOf(profileId: string): string {
    const name = this.#names.of(profileId);
    return name === null || name.isElsewhere ? profileId : name.upstreamId;
  }

  /** One profile as it is there. */
  one(bytes: Uint8Array): readonly Profile[] {
    const read = mirroredProfile(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return read.ok ? this.#changeBy(read.record, this.#ownOf(read.record), this.#local.watchOne()) : [];
  }

  /** Archives the profiles that were missing in enough complete readings, and gives them. */
  async gone(at: string): Promise<readonly Profile[]> {
    const { seen, watch } = this.#requireReading();
    this.#reading = null;
    const missing: string[] = [];
    const slice = new Slice();
    let present = 0;
    for (let last = ''; ; ) {
      const ids = this.#idsAfter.all(last, ROWS_AT_ONCE);
      present += ids.length;
      missing.push(...ids.filter((id) => !seen.has(id) && !watch.isNewer(`profile:${id}`)));
      last = ids.at(-1) ?? '';
      if (ids.length < ROWS_AT_ONCE) break;
      await slice.pause();
    }
    const { misses, gone } = lossesAfter(this.#misses, missing, present);
    this.#misses = misses;
    return gone.flatMap((id) => {
      const profile = this.#profiles.profile(id);
      return profile === null ? [] : [archivedProfile(profile, { principal: UPSTREAM, date: at })];
    });
  }

  /**
   * The ids of a profile of the central server: its id there, and our id. If no profile of ours is known by that name,
   * both are the same.
   */
  #ownOf({ profileId: upstreamId, createdDate }: Profile): Met {
    const createdAt = createdAtOf(createdDate);
    return { profileId: this.#names.ownOf(upstreamId, createdAt) ?? upstreamId, upstreamId, createdAt };
  }

  #note(met: readonly Met[]): void {
    transact(this.#connection, () => {
      for (const { profileId, upstreamId, createdAt } of met) {
        if (createdAt !== null) this.#names.seen(profileId, upstreamId, createdAt);
      }
    });
  }

  #changeBy(incoming: Profile, { profileId }: Met, watch: ReadingWatch): readonly Profile[] {
    if (watch.isNewer(`profile:${profileId}`)) return [];
    const existing = this.#profiles.profile(profileId);
    // While profiles are queued, it may be one of ours that was just sent, whose name there is not known yet.
    if (existing === null && this.#local.hasQueued('profile')) return [];
    const after = profileAfter({ ...incoming, profileId }, existing);
    return after === null ? [] : [after];
  }

  #requireReading(): Reading {
    if (this.#reading === null) throw new Error('no reading of profiles is under way');
    return this.#reading;
  }
}
