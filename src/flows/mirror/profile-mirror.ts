import type { Profile } from '../../domain/profile/profile.ts';
import { isoTime } from '../../domain/time.ts';
import type { KeyedMutex } from '../keyed-mutex.ts';
import type { ProfileQueries, ProfileRecord, ThumbnailArtist } from '../library/profile-ports.ts';
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
  /** Only then is its ETag kept. */
  #isOnePage = false;

  constructor(options: ProfileMirrorOptions) {
    this.#options = options;
  }

  /** The last reading took one page: the library can be read at each poll. */
  get isCheap(): boolean {
    return this.#isOnePage;
  }

  /**
   * `isWhole`: the reading also tells which profiles are gone, and does not ask whether the list is unchanged. False: the
   * server has no profiles. Rejects with MirrorFault.
   */
  async read(isWhole: boolean): Promise<boolean> {
    const { store, wallMs } = this.#options;
    await store.mirrorBegin('profiles', 'all');
    const first = await this.#fetchPage(0, !isWhole);
    if (first.kind === 'unchanged') return true;
    // After a reading that broke off the next poll tries again.
    const read = await this.#readPages(first);
    this.#isOnePage = read?.isOnePage === true;
    if (read === null || first.kind !== 'bytes') return false;
    if (read.isComplete && isWhole) {
      await store.mirrorEndProfiles(isoTime(wallMs()));
      await this.#keepChanged();
    }
    if (read.isOnePage) first.noteTaken();
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

  /** Null: there is no such list. */
  async #readPages(first: Fetched): Promise<{ readonly isComplete: boolean; readonly isOnePage: boolean } | null> {
    const { store, onRefused } = this.#options;
    let skip = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const fetched = page === 0 ? first : await this.#fetchPage(skip, false);
      if (fetched.kind !== 'bytes') return null;
      const read = await store.mirrorProfilePage(fetched.bytes);
      if (read.kind === 'fault') throw new MirrorFault(`${PATH}: ${read.detail}`);
      // The interface documents no parameters of the list: a server may give the whole list each time.
      const isOnePage = page <= 1 && skip <= TAKE;
      if (read.kind === 'repeated') return { isComplete: read.records !== TAKE, isOnePage };
      if (read.refused.length > 0) onRefused('profiles', read.refused);
      await this.#keepChanged();
      if (read.records === 0) return { isComplete: true, isOnePage };
      skip += read.records;
    }
    throw new MirrorFault(`${PATH}: more than ${MAX_PAGES} pages`);
  }

  #fetchPage(skip: number, isKnown: boolean): Promise<Fetched> {
    return this.#options.fetch.get(`${PATH}?skip=${skip}&take=${TAKE}`, isKnown);
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
