import { lossesAfter, type Misses } from '../../../../domain/mirror/losses.ts';
import { mirroredProfile, profileAfter } from '../../../../domain/mirror/mirrored-profile.ts';
import { archivedProfile } from '../../../../domain/profile/library.ts';
import type { Profile } from '../../../../domain/profile/profile.ts';
import type { ProfilePageRead } from '../../../../flows/mirror-ports.ts';
import type { Connection } from '../connection.ts';
import type { ProfileQueries } from '../profiles/profile-queries.ts';
import { Slice } from '../slice.ts';
import type { LocalChanges, ReadingWatch } from './local-changes.ts';
import { digestOf } from './page-memory.ts';
import { recordsOf } from './record-list.ts';

const MAX_REFUSALS_TOLD = 5;
const ROWS_AT_ONCE = 500;
const UPSTREAM = 'central server';

interface Reading {
  readonly watch: ReadingWatch;
  readonly seen: Set<string>;
  readonly digests: Set<string>;
}

/** Reads pages of profiles of the central server and says what differs from those here. */
export class ProfileReading {
  readonly #profiles: ProfileQueries;
  readonly #local: LocalChanges;
  readonly #ownName;
  readonly #theirName;
  readonly #idsAfter;
  #misses: Misses = new Map();
  #reading: Reading | null = null;

  constructor(connection: Connection, profiles: ProfileQueries, local: LocalChanges) {
    this.#profiles = profiles;
    this.#local = local;
    this.#ownName = connection
      .prepare<[string], string>('SELECT profile_id FROM upstream_profile WHERE upstream_id = ?')
      .pluck();
    this.#theirName = connection
      .prepare<[string], string>('SELECT upstream_id FROM upstream_profile WHERE profile_id = ?')
      .pluck();
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
    const slice = new Slice();
    for (const value of list.records) {
      const read = mirroredProfile(value);
      const id = read.ok ? read.record.profileId : read.id;
      if (id !== null) reading.seen.add(this.#ownName.get(id) ?? id);
      if (!read.ok) refused.push(read.fault);
      else changed.push(...this.#changeBy(read.record, reading.watch));
      await slice.pause();
    }
    return { kind: 'read', records, changed, refused: refused.slice(0, MAX_REFUSALS_TOLD) };
  }

  /** What the central server calls a profile of ours. */
  nameOf(profileId: string): string {
    return this.#theirName.get(profileId) ?? profileId;
  }

  /** One profile as it is there. */
  one(bytes: Uint8Array): readonly Profile[] {
    const read = mirroredProfile(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return read.ok ? this.#changeBy(read.record, this.#local.watchOne()) : [];
  }

  /** Those that enough complete readings did not hold, archived. */
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

  #changeBy(incoming: Parameters<typeof profileAfter>[0], watch: ReadingWatch): readonly Profile[] {
    const known = this.#ownName.get(incoming.profileId);
    const profileId = known ?? incoming.profileId;
    if (watch.isNewer(`profile:${profileId}`)) return [];
    const existing = this.#profiles.profile(profileId);
    // It may be one of ours on its way, whose name there is not known yet.
    if (existing === null && this.#local.hasQueued('profile')) return [];
    const after = profileAfter({ ...incoming, profileId }, existing);
    return after === null ? [] : [after];
  }

  #requireReading(): Reading {
    if (this.#reading === null) throw new Error('no reading of profiles is under way');
    return this.#reading;
  }
}
