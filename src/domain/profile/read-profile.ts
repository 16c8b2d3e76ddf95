import type { CodedError } from '../error.ts';
import { isJsonObject } from '../json/json.ts';
import type { Result } from '../result.ts';
import { type Feature, type ProfileContent, SIDES, type Side } from './profile.ts';
import { ProfileFaults } from './profile-faults.ts';
import { PROFILE_LIMITS } from './profile-limits.ts';
import { type ReadFeature, readFeature } from './read-feature.ts';

/** The catalogs that a profile may be in. */
export interface CatalogChoice {
  readonly ids: ReadonlySet<number>;
  /** The catalog of a profile that names none; null if it has to name one. */
  readonly fallback: number | null;
}

export type ReadProfile = Result<{ readonly content: ProfileContent }, { readonly error: CodedError }>;

/**
 * Reads the body of a create or update (interface.md, Profiles). Fields that the server assigns, and any it does not know,
 * are ignored, so that a profile that was read can be sent back (PROF-05). Refused with `invalid-input` in the
 * interface's sentences, all of them, or with `malformed` for an unrecognised word (PROF-01, PROF-02, D-22, D-23).
 */
export function readProfile(body: unknown, catalogs: CatalogChoice): ReadProfile {
  const faults = new ProfileFaults();
  if (!isJsonObject(body)) faults.note('body', 'body', body);
  const content = readContent(isJsonObject(body) ? body : {}, catalogs, faults);
  const error = faults.refusal();
  return error === null ? { ok: true, content } : { ok: false, error };
}

function readContent(
  fields: Readonly<Record<string, unknown>>,
  catalogs: CatalogChoice,
  faults: ProfileFaults,
): ProfileContent {
  return {
    profileName: readName(fields.profileName, faults),
    description: readText(fields, 'description', PROFILE_LIMITS.descriptionLength, faults),
    owningCatalogId: readCatalog(fields.owningCatalogId, catalogs, faults),
    category: readText(fields, 'category', PROFILE_LIMITS.categoryLength, faults),
    subCategory: readText(fields, 'subCategory', PROFILE_LIMITS.categoryLength, faults),
    paintedSide: readPaintedSide(fields.paintedSide, faults),
    features: readFeatures(fields.features, faults),
  };
}

function readName(value: unknown, faults: ProfileFaults): string {
  if (typeof value !== 'string' || value.trim() === '') {
    faults.note('profileName', 'profileName', value);
    return '';
  }
  if (value.length > PROFILE_LIMITS.profileNameLength) faults.note('profileNameLength', 'profileName', value);
  return value;
}

function readText(
  fields: Readonly<Record<string, unknown>>,
  field: 'description' | 'category' | 'subCategory',
  maxLength: number,
  faults: ProfileFaults,
): string | null {
  const value = fields[field];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value.length <= maxLength) return value;
  faults.note(field, field, value);
  return null;
}

function readCatalog(value: unknown, { ids, fallback }: CatalogChoice, faults: ProfileFaults): number {
  const chosen = value === undefined || value === null ? fallback : value;
  if (typeof chosen === 'number' && ids.has(chosen)) return chosen;
  faults.note('owningCatalogId', 'owningCatalogId', value);
  return 0;
}

function readPaintedSide(value: unknown, faults: ProfileFaults): Side | null {
  if (value === undefined || value === null) return null;
  const side = SIDES.find((candidate) => candidate === value);
  if (side !== undefined) return side;
  if (typeof value === 'string') faults.noteUnrecognised('paintedSide', value, SIDES);
  else faults.note('paintedSide', 'paintedSide', value);
  return null;
}

function readFeatures(value: unknown, faults: ProfileFaults): readonly Feature[] {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
    faults.note('featuresEmpty', 'features', value);
    return [];
  }
  if (!Array.isArray(value)) {
    faults.note('featuresAlternate', 'features', value);
    return [];
  }
  if (value.length > PROFILE_LIMITS.features) {
    faults.note('featuresTooMany', 'features', `${value.length} features`);
    return [];
  }
  if (value.length % 2 === 0) faults.note('featuresAlternate', 'features', `${value.length} features`);
  const read = value.map((item, place) => readFeature(item, `features[${place}]`, faults));
  checkPlaces(read, faults);
  checkNames(read, faults);
  return read.map(({ feature }) => feature).filter((feature) => feature !== null);
}

function checkPlaces(read: readonly ReadFeature[], faults: ProfileFaults): void {
  for (const [place, { type }] of read.entries()) {
    const belongs = type === null || (type === 'Straight') === (place % 2 === 0);
    if (!belongs) faults.note('featuresAlternate', `features[${place}].type`, type);
  }
}

function checkNames(read: readonly ReadFeature[], faults: ProfileFaults): void {
  const taken = new Set<string>();
  for (const [place, { name }] of read.entries()) {
    if (name === null) continue;
    const key = name.toLowerCase();
    if (taken.has(key)) faults.note('featureNames', `features[${place}].name`, name);
    taken.add(key);
  }
}
