import type { Profile } from '../../domain/profile/profile.ts';
import type { KeyedMutex } from '../keyed-mutex.ts';
import type { ProfileQueries, ProfileRecord, ThumbnailArtist } from '../library/profile-ports.ts';
import { isoTime } from '../local-api/machine-view.ts';
import { type Fetched, MirrorFault, type MirrorFetch } from './mirror-fetch.ts';
import type { MirrorQueries } from './mirror-ports.ts';

const PATH = '/api/v1/profiles';
/** Profiles are long: fewer than a page may have. */
const TAKE = 200;
/** Pages of the profile library. A longer library is not mirrored, and diagnostics says so. */
const MAX_PAGES = 500;

export interface ProfileMirrorOptions {
  readonly fetch: MirrorFetch;
  readonly store: MirrorQueries &
    Pick<ProfileQueries, 'profile'> & { write(records: readonly ProfileRecord[]): Promise<void> };
  readonly artist: ThumbnailArtist;
  /** Edits of one profile run one after the other. */
  readonly turns: KeyedMutex;
  readonly wallMs: () => number;
  /** Called when profiles changed. */
  readonly onChange: () => void;
  readonly onRefused: (kind: 'profiles', faults: readonly string[]) => void;
}

/** Mirrors the profile library: each profile with its picture, ready for machines, as a commit of its own. */
export class ProfileMirror {
  readonly #options: ProfileMirrorOptions;

  constructor(options: ProfileMirrorOptions) {
    this.#options = options;
  }

  /** False: the server has no profiles. Rejects with MirrorFault. */
  async read(): Promise<boolean> {
    const { store, wallMs } = this.#options;
    await store.mirrorBegin('profiles', 'all');
    const isComplete = await this.#readPages();
    if (isComplete === null) return false;
    if (isComplete) {
      await store.mirrorEndProfiles(isoTime(wallMs()));
      await this.#keepChanged();
    }
    return true;
  }

  /** False: the server does not have it. */
  async readOne(profileId: string): Promise<boolean> {
    const { fetch, store } = this.#options;
    const name = await store.mirrorProfileName(profileId);
    const fetched = await fetch.get(`${PATH}/${encodeURIComponent(name.toWellFormed())}`, false);
    if (fetched.kind !== 'bytes') return false;
    const changed = await store.mirrorProfile(fetched.bytes);
    if (changed !== null) await this.#keep([changed]);
    return true;
  }

  /** Whether the list was complete; null if there is no such list. */
  async #readPages(): Promise<boolean | null> {
    const { store, onRefused } = this.#options;
    let skip = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const fetched = await this.#fetchPage(skip);
      if (fetched.kind !== 'bytes') return null;
      const read = await store.mirrorProfilePage(fetched.bytes);
      if (read.kind === 'fault') throw new MirrorFault(`${PATH}: ${read.detail}`);
      // The interface documents no parameters of the list: a server may give the whole list each time.
      if (read.kind === 'repeated') return read.records !== TAKE;
      if (read.refused.length > 0) onRefused('profiles', read.refused);
      await this.#keepChanged();
      if (read.records === 0) return true;
      skip += read.records;
    }
    throw new MirrorFault(`${PATH}: more than ${MAX_PAGES} pages`);
  }

  #fetchPage(skip: number): Promise<Fetched> {
    return this.#options.fetch.get(`${PATH}?skip=${skip}&take=${TAKE}`, false);
  }

  async #keepChanged(): Promise<void> {
    const { store } = this.#options;
    for (let profiles = await store.mirrorNextProfiles(); profiles.length > 0; ) {
      await this.#keep(profiles);
      profiles = await store.mirrorNextProfiles();
    }
  }

  async #keep(profiles: readonly Profile[]): Promise<void> {
    await Promise.all(profiles.map((profile) => this.#keepOne(profile)));
    this.#options.onChange();
  }

  #keepOne(profile: Profile): Promise<void> {
    const { store, artist, turns } = this.#options;
    return turns.runExclusive(profile.profileId, async () => {
      const present = await store.profile(profile.profileId);
      // The profile was edited here since.
      if (present !== null && present.revision >= profile.revision) return;
      const thumbnail = profile.archived ? null : await artist.draw(profile);
      await store.write([{ kind: 'profile', profile, thumbnail }]);
    });
  }
}
