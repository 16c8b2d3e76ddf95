import { type Fault, foundText } from '../../domain/error.ts';
import { entryFaults, missingProfileId } from '../../domain/plant/library-rules.ts';
import type { Catalog } from '../../domain/plant/plant.ts';
import type { PlantFile } from '../../domain/plant/plant-entry.ts';
import { changedFields } from '../../domain/plant/plant-merge.ts';
import { createdProfile, revisedProfile } from '../../domain/profile/library.ts';
import type { Profile, ProfileContent } from '../../domain/profile/profile.ts';
import {
  catalogChoice,
  type ProfileEntry,
  profileContent,
  profileEntryId,
  seededContent,
} from '../../domain/profile/profile-entry.ts';
import type { CatalogChoice } from '../../domain/profile/read-profile.ts';
import type { Result } from '../../domain/result.ts';
import { isoTime } from '../../domain/time.ts';
import { Slice } from '../../runtime/slice.ts';
import { type OrderPlan, OrderSeeds } from '../orders/order-seeds.ts';
import type { PlantDifference } from '../plant/plant-difference.ts';
import type { PlantPorts, RecordDifference } from '../plant/plant-ports.ts';
import type { StoreRecord } from '../store-ports.ts';
import type { ProfileRecord } from './profile-ports.ts';

/** The changes that the profiles and orders of a plant file would make. */
export interface LibraryPlan {
  readonly faults: readonly Fault[];
  readonly difference: PlantDifference;
  readonly profiles: ProfilePlan;
  readonly orders: OrderPlan;
}

/** Profiles and orders of a plant file; other clients edit them through their own flows. */
export class LibrarySeeds {
  readonly #ports: Pick<PlantPorts, 'profileMutex'>;
  readonly #profiles: ProfileSeeds;
  readonly #orders: OrderSeeds;

  constructor(ports: PlantPorts) {
    this.#ports = ports;
    this.#profiles = new ProfileSeeds(ports);
    this.#orders = new OrderSeeds(ports);
  }

  /** `catalogs` are those after the change. */
  async plan(file: Pick<PlantFile, 'profiles' | 'orders'>, catalogs: readonly Catalog[]): Promise<LibraryPlan> {
    const profiles = await this.#profiles.plan(file.profiles, catalogs);
    const orders = await this.#orders.plan(file.orders);
    const faults = [...profiles.faults, ...orders.faults];
    return { faults, difference: [...profiles.difference, ...orders.difference], profiles, orders };
  }

  /** Writes the records while no other client edits these profiles. */
  commit(
    { profiles, orders }: LibraryPlan,
    principal: string,
    write: (records: readonly StoreRecord[]) => Promise<void>,
  ): Promise<void> {
    const profileIds = profiles.planned.map(({ profileId }) => profileId);
    return this.#ports.profileMutex.runExclusiveOnAll(profileIds, async () => {
      const records = await this.#profiles.records(profiles, principal);
      await write([...records, ...this.#orders.records(orders, principal)]);
    });
  }
}

/** The number of profiles that the store is asked for at once. */
const PROFILES_AT_ONCE = 50;

/** A profile that an entry adds or changes. */
interface PlannedProfile {
  readonly profileId: string;
  readonly entry: ProfileEntry;
}

/** The changes that the profiles of a plant file would make. */
interface ProfilePlan {
  readonly faults: readonly Fault[];
  readonly difference: readonly RecordDifference[];
  readonly planned: readonly PlannedProfile[];
  readonly catalogs: CatalogChoice;
}

type Ports = Pick<PlantPorts, 'store' | 'artist' | 'clock'>;

/** Profiles of a plant file: added, or given a new revision if they differ; archived ones stay archived. */
class ProfileSeeds {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** `catalogs` are those after the change. Paths of faults are the file's: `profiles[3].features[0].length`. */
  async plan(entries: readonly ProfileEntry[], catalogs: readonly Catalog[]): Promise<ProfilePlan> {
    const choice = catalogChoice(catalogs);
    const faults: Fault[] = [];
    const difference: RecordDifference[] = [];
    const planned: PlannedProfile[] = [];
    const firstPlaces = new Map<string, number>();
    const slice = new Slice();
    for (const [place, entry, existing] of await this.#withExisting(entries)) {
      await slice.pause();
      const profileId = profileEntryId(entry);
      if (profileId === null) {
        faults.push(missingProfileId(place));
        continue;
      }
      const first = firstPlaces.get(profileId);
      firstPlaces.set(profileId, first ?? place);
      if (first !== undefined) faults.push(twice(place, profileId, first));
      const seeded = seed(entry, existing, choice);
      if (!seeded.ok) faults.push(...entryFaults('profiles', place, seeded.faults));
      else if (seeded.fields.length > 0) {
        const change = existing === null ? 'create' : 'update';
        difference.push({ kind: 'profiles', id: profileId, change, fields: seeded.fields });
        planned.push({ profileId, entry });
      }
    }
    return { faults, difference, planned, catalogs: choice };
  }

  /** The records, made again from the present profiles, with their pictures. */
  async records({ planned, catalogs }: ProfilePlan, principal: string): Promise<readonly ProfileRecord[]> {
    const { store, artist, clock } = this.#ports;
    const records: ProfileRecord[] = [];
    for (const { profileId, entry } of planned) {
      const existing = await store.profile(profileId);
      const seeded = seed(entry, existing, catalogs);
      if (!seeded.ok || seeded.fields.length === 0) continue;
      const edit = { principal, date: isoTime(clock.now().wallMs) };
      const profile =
        existing === null
          ? createdProfile(profileId, seeded.content, edit)
          : revisedProfile(existing, seeded.content, edit);
      records.push({ kind: 'profile', profile, thumbnail: await artist.draw(profile) });
    }
    return records;
  }

  async #withExisting(entries: readonly ProfileEntry[]) {
    const found: [number, ProfileEntry, Profile | null][] = [];
    for (let from = 0; from < entries.length; from += PROFILES_AT_ONCE) {
      const asked = entries.slice(from, from + PROFILES_AT_ONCE).map(async (entry, index) => {
        const profileId = profileEntryId(entry);
        const existing = profileId === null ? null : await this.#ports.store.profile(profileId);
        return [from + index, entry, existing] as [number, ProfileEntry, Profile | null];
      });
      found.push(...(await Promise.all(asked)));
    }
    return found;
  }
}

type Seeded = Result<{ readonly content: ProfileContent; readonly fields: readonly string[] }>;

function seed(entry: ProfileEntry, existing: Profile | null, catalogs: CatalogChoice): Seeded {
  const read = seededContent(entry, existing, catalogs);
  if (!read.ok) return { ok: false, faults: read.error.faults };
  const { content } = read;
  if (existing === null) return { ok: true, content, fields: Object.keys(content) };
  // Being archived is live state.
  return { ok: true, content, fields: existing.archived ? [] : changedFields(profileContent(existing), content) };
}

function twice(place: number, profileId: string, first: number): Fault {
  const expected = `a profile once only; profiles[${first}] is the same`;
  return { path: `profiles[${place}].profileId`, found: foundText(profileId), expected };
}
