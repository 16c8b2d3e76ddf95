import type { Catalog } from '../../domain/plant/plant.ts';
import type { DeliveryExplanation } from '../../domain/profile/delivery-checks.ts';
import type { Profile } from '../../domain/profile/profile.ts';
import { call, callBusiness, type Outcome } from '../api/call.ts';

export type { Profile };

/** Profiles that the list shows at first, and by which it grows. */
export const PROFILES_SHOWN = 100;

/** Catalogs as `/api/v1/catalogs` has them (D-22). */
export type CatalogView = Pick<Catalog, 'catalogId' | 'name'> & { readonly isDefault: boolean };

/** `total`: all profiles that were found, of which some are shown. */
export interface FoundProfiles {
  readonly total: number;
  readonly items: readonly Profile[];
}

/** The profiles that a list shows: of a catalog, of all, or the archived ones. */
export type ProfileChoice = number | 'all' | 'archived';

/** The chosen profiles that hold a text. */
export function findProfiles(sought: string, choice: ProfileChoice, take: number): Promise<Outcome<FoundProfiles>> {
  const query = new URLSearchParams({
    take: String(take),
    ...(sought.trim() !== '' && { q: sought.trim() }),
    ...(typeof choice === 'number' && { catalogId: String(choice) }),
    ...(choice === 'archived' && { archived: 'true' }),
  });
  return call('GET', `/profiles?${query}`);
}

export function readCatalogs(): Promise<Outcome<readonly CatalogView[]>> {
  return callBusiness('GET', '/catalogs');
}

/** The checks of a profile that is not on a machine, and the catalogs' names. */
export async function readDelivery(
  machineId: string,
  profileId: string,
): Promise<Outcome<{ readonly explanation: DeliveryExplanation; readonly catalogs: readonly CatalogView[] }>> {
  const path = `/machines/${encodeURIComponent(machineId)}/delivery?profileId=${encodeURIComponent(profileId)}`;
  const [explanation, catalogs] = await Promise.all([
    call<DeliveryExplanation>('GET', path),
    callBusiness<readonly CatalogView[]>('GET', '/catalogs'),
  ]);
  if (explanation.kind !== 'done') return explanation;
  if (catalogs.kind !== 'done') return catalogs;
  return { kind: 'done', value: { explanation: explanation.value, catalogs: catalogs.value } };
}

/** The only profile with this name, the case ignored. */
export async function profileNamed(name: string): Promise<Outcome<Profile | 'none'>> {
  const outcome = await callBusiness<readonly Profile[]>('GET', `/profiles?take=2&name=${encodeURIComponent(name)}`);
  if (outcome.kind !== 'done') return outcome;
  const [profile, another] = outcome.value;
  return { kind: 'done', value: profile === undefined || another !== undefined ? 'none' : profile };
}

export function readProfile(profileId: string): Promise<Outcome<Profile>> {
  return callBusiness('GET', `/profiles/${encodeURIComponent(profileId)}`);
}

/** Saves a new revision. The gateway ignores the fields that it assigns itself. */
export function saveProfile(profile: Profile): Promise<Outcome<Profile>> {
  return callBusiness('PUT', `/profiles/${encodeURIComponent(profile.profileId)}`, profile);
}

/** Adds a new profile. */
export function addProfile(profile: Profile): Promise<Outcome<Profile>> {
  return callBusiness('POST', '/profiles', profile);
}

export function archiveProfile(profileId: string): Promise<Outcome<unknown>> {
  return callBusiness('DELETE', `/profiles/${encodeURIComponent(profileId)}`);
}

/** Takes an archived profile into use again. */
export function restoreProfile(profileId: string): Promise<Outcome<Profile>> {
  return call('POST', `/profiles/${encodeURIComponent(profileId)}/restore`, {});
}
