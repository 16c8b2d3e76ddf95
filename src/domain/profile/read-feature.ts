import { isJsonObject, type JsonObject } from '../json/json.ts';
import { FEATURE_TYPES, type Feature, type FeatureType, RADIUS_QUALITIES, SIDES, type Side } from './profile.ts';
import type { ProfileFaults } from './profile-faults.ts';
import { PROFILE_LIMITS } from './profile-limits.ts';
import type { ProfileMessage } from './profile-messages.ts';

/** One feature being read: its fields, its place, and the list of faults. */
interface Reading {
  readonly fields: JsonObject;
  readonly path: string;
  readonly faults: ProfileFaults;
}

/** The readable parts of a feature; null for unreadable parts, which the faults name. */
export interface ReadFeature {
  readonly type: FeatureType | null;
  readonly name: string | null;
  readonly feature: Feature | null;
}

/** Reads a feature with the fields of its type; all others are left out (interface.md, Profiles; PROF-04). */
export function readFeature(value: unknown, path: string, faults: ProfileFaults): ReadFeature {
  if (!isJsonObject(value)) {
    faults.note('featuresAlternate', path, value);
    return { type: null, name: null, feature: null };
  }
  const reading = { fields: value, path, faults };
  const type = readWord(reading, 'type', FEATURE_TYPES, 'featuresAlternate');
  const name = readLabel(reading);
  const read = type === null ? null : READERS[type](reading);
  return { type, name, feature: read === null || name === null ? read : { ...read, name } };
}

type Read = (reading: Reading) => Feature | null;

const READERS: Readonly<Record<FeatureType, Read>> = {
  Straight: (reading) => {
    const length = readSize(reading, 'length', isPositive);
    return length === null ? null : { type: 'Straight', length, hemHeight: 0 };
  },
  Angle: (reading) => {
    const angle = readAngle(reading);
    return angle === null ? null : { type: 'Angle', angle, hemHeight: 0 };
  },
  Radius: (reading) => {
    const angle = readAngle(reading);
    const radius = readSize(reading, 'radius', isPositive);
    const quality = RADIUS_QUALITIES.find((word) => word === reading.fields.radiusQuality);
    if (quality === undefined) note(reading, 'radiusQuality', 'radiusQuality');
    if (angle === null || radius === null || quality === undefined) return null;
    return { type: 'Radius', angle, radius, radiusQuality: quality, hemHeight: 0 };
  },
  OpenHem: (reading) => {
    const hemDirection = readDirection(reading);
    const hemHeight = readSize(reading, 'hemHeight', isPositive);
    return hemDirection === null || hemHeight === null ? null : { type: 'OpenHem', hemDirection, hemHeight };
  },
  ClosedHem: (reading) => {
    const hemDirection = readDirection(reading);
    return hemDirection === null ? null : { type: 'ClosedHem', hemDirection, hemHeight: 0 };
  },
  TearDropHem: (reading) => {
    const hemDirection = readDirection(reading);
    const hemClampOffset = readSize(reading, 'hemClampOffset', isZeroOrMore);
    if (hemDirection === null || hemClampOffset === null) return null;
    return { type: 'TearDropHem', hemDirection, hemClampOffset, hemHeight: 0 };
  },
};

const isPositive = (size: number): boolean => size > 0;
const isZeroOrMore = (size: number): boolean => size >= 0;

/** An angle of this many degrees or more, to either side, is refused. */
const MAX_ANGLE = 180;

function readAngle(reading: Reading): number | null {
  const { angle } = reading.fields;
  if (typeof angle === 'number' && Math.abs(angle) < MAX_ANGLE) return angle;
  note(reading, 'angle', 'angle');
  return null;
}

function readDirection(reading: Reading): Side | null {
  return readWord(reading, 'hemDirection', SIDES, 'hemDirection');
}

function readSize(
  reading: Reading,
  field: 'length' | 'radius' | 'hemHeight' | 'hemClampOffset',
  isValid: (size: number) => boolean,
): number | null {
  const size = reading.fields[field];
  if (typeof size !== 'number' || !isValid(size)) {
    note(reading, field, field);
    return null;
  }
  if (size <= PROFILE_LIMITS.dimension) return size;
  note(reading, 'dimension', field);
  return null;
}

/** A word of an enumeration. Any other text is unrecognised; a value that is not a text counts as missing. */
function readWord<const Word extends string>(
  { fields, path, faults }: Reading,
  field: string,
  words: readonly Word[],
  missing: ProfileMessage,
): Word | null {
  const found = fields[field];
  const word = words.find((candidate) => candidate === found);
  if (word !== undefined) return word;
  if (typeof found === 'string') faults.noteUnrecognised(`${path}.${field}`, found, words);
  else faults.note(missing, `${path}.${field}`, found);
  return null;
}

/** The label, trimmed; null if it is blank. */
function readLabel(reading: Reading): string | null {
  const { name } = reading.fields;
  if (name === undefined || name === null) return null;
  if (typeof name !== 'string' || name.trim().length > PROFILE_LIMITS.featureNameLength) {
    note(reading, 'featureName', 'name');
    return null;
  }
  return name.trim() === '' ? null : name.trim();
}

function note({ fields, path, faults }: Reading, message: ProfileMessage, field: string): void {
  faults.note(message, `${path}.${field}`, fields[field]);
}
