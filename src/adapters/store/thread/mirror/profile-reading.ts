import { lossesAfter, type Misses } from '../../../../domain/mirror/losses.ts';
import { mirroredProfile, profileAfter } from '../../../../domain/mirror/mirrored-profile.ts';
import { archivedProfile } from '../../../../domain/profile/library.ts';
import type { Profile } from '../../../../domain/profile/profile.ts';
import { createdAtOf } from '../../../../domain/sync/profile-match.ts';
import type { ProfilePageRead } from '../../../../flows/mirror/mirror-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import { type Connection, transact } from '../database/connection.ts';
import type { UpstreamNames } from '../forwarding/upstream-names.ts';
import type { ProfileQueries } from '../profiles/profile-queries.ts';
import type { LocalChanges, ReadingWatch } from './local-changes.ts';
import { digestOf } from './page-memory.ts';
import { recordsOf } from './record-list.ts';

/** Refused records of one answer that diagnostics names. */
const MAX_REFUSALS_TOLD = 5;
const IDS_PER_READ = 500;
/** Profiles that are given at once, to be drawn and written side by side. */
const MAX_GIVEN = 20;
/** Features of these profiles, but at least one profile. The main thread takes about a microsecond for each. */
const MAX_FEATURES_GIVEN = 2_000;
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

/** Reads pages of profiles of the central server, and gives those that differ from the ones here, a few at a time. */
export class ProfileReading {
  readonly #profiles: ProfileQueries;
  readonly #local: LocalChanges;
  readonly #connection: Connection;
  readonly #names: UpstreamNames;
  readonly #idsAfter;
  #misses: Misses = new Map();
  #reading: Reading | null = null;
  /** Profiles that are to be written and were not given yet. After a reading that failed they stay until the next one. */
  #changed: Profile[] = [];

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
    this.#changed = [];
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
    const refused: string[] = [];
    const met: Met[] = [];
    const slice = new Slice();
    for (const value of list.records) {
      const read = mirroredProfile(value);
      if (read.ok) {
        const own = this.#ownOf(read.record);
        met.push(own);
        reading.seen.add(own.profileId);
        this.#add(this.#changeBy(read.record, own, reading.watch));
      } else {
        if (read.id !== null) for (const id of [read.id, ...this.#names.allCalled(read.id)]) reading.seen.add(id);
        refused.push(read.fault);
      }
      await slice.pause();
    }
    this.#note(met);
    return { kind: 'read', records, refused: refused.slice(0, MAX_REFUSALS_TOLD) };
  }

  /** The next profiles to write; none when all were given. */
  next(): readonly Profile[] {
    let count = 0;
    let features = 0;
    for (const profile of this.#changed.slice(0, MAX_GIVEN)) {
      features += profile.features.length;
      if (count > 0 && features > MAX_FEATURES_GIVEN) break;
      count += 1;
    }
    return this.#changed.splice(0, count);
  }

  #add(profile: Profile | null): void {
    if (profile !== null) this.#changed.push(profile);
  }

  /** The central server's id for a profile of ours. */
  nameOf(profileId: string): string {
    const name = this.#names.of(profileId);
    return name === null || name.isElsewhere ? profileId : name.upstreamId;
  }

  /** One profile as it is there. */
  one(bytes: Uint8Array): Profile | null {
    const read = mirroredProfile(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return read.ok ? this.#changeBy(read.record, this.#ownOf(read.record), this.#local.watchOne()) : null;
  }

  /** Ends the reading. The profiles that were missing in enough complete readings are given next, archived. */
  async archiveGone(at: string): Promise<void> {
    const { seen, watch } = this.#requireReading();
    this.#reading = null;
    const missing: string[] = [];
    const slice = new Slice();
    let present = 0;
    for (let last = ''; ; ) {
      const ids = this.#idsAfter.all(last, IDS_PER_READ);
      present += ids.length;
      missing.push(...ids.filter((id) => !seen.has(id) && !watch.isNewer(`profile:${id}`)));
      last = ids.at(-1) ?? '';
      if (ids.length < IDS_PER_READ) break;
      await slice.pause();
    }
    const { misses, gone } = lossesAfter(this.#misses, missing, present);
    this.#misses = misses;
    for (const id of gone) {
      const profile = this.#profiles.profile(id);
      this.#add(profile === null ? null : archivedProfile(profile, { principal: UPSTREAM, date: at }));
    }
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

  #changeBy(incoming: Profile, { profileId }: Met, watch: ReadingWatch): Profile | null {
    if (watch.isNewer(`profile:${profileId}`)) return null;
    const existing = this.#profiles.profile(profileId);
    // While profiles are queued, it may be one of ours that was just sent, whose name there is not known yet.
    if (existing === null && this.#local.hasQueued('profile')) return null;
    return profileAfter({ ...incoming, profileId }, existing);
  }

  #requireReading(): Reading {
    if (this.#reading === null) throw new Error('no reading of profiles is under way');
    return this.#reading;
  }
}
