import { instantOf } from '../instant.ts';
import { asJsonObject, type JsonObject } from '../json/json.ts';
import { idText } from '../mirror/field-reader.ts';
import type { ProfileContent } from '../profile/profile.ts';
import { profileContent } from '../profile/profile-entry.ts';

/** A profile of ours, with its sender and time, which distinguish it from others with the same content (D-30). */
export interface SentProfile {
  readonly content: ProfileContent;
  /** Our principal there; null while unknown. */
  readonly principal: string | null;
  readonly at: number;
}

/** The greatest difference of the two clocks. */
const CLOCK_TOLERANCE_MS = 600_000;

/** Whether a record there may be the profile that was sent. */
export function mayBe({ content, principal, at }: SentProfile, record: JsonObject | null): boolean {
  if (!isSameContent(content, record)) return false;
  const { createdBy, createdDate } = record ?? {};
  if (principal !== null && typeof createdBy === 'string' && createdBy !== principal) return false;
  const createdAt = typeof createdDate === 'string' ? instantOf(createdDate) : Number.NaN;
  return Number.isNaN(createdAt) || createdAt >= at - CLOCK_TOLERANCE_MS;
}

export function isSameContent(content: ProfileContent, record: JsonObject | null): boolean {
  if (record === null) return false;
  const { features, ...plain } = profileContent({ ...SERVER_ASSIGNED, ...content });
  const isPlainSame = Object.entries(plain).every(([name, value]) => (record[name] ?? null) === value);
  const theirs = record.features;
  if (!isPlainSame || !Array.isArray(theirs) || theirs.length !== features.length) return false;
  return features.every((feature, place) => {
    const other = asJsonObject(theirs[place]);
    return Object.entries(feature).every(([name, value]) => name === 'hemHeight' || other?.[name] === value);
  });
}

/** The id in a server's answer about a profile; the interface does not fix the name of this field. */
export function profileIdIn(record: JsonObject | null): string | null {
  return idText(record?.profileId ?? record?.id);
}

/** The creation time that a server gives for a profile; null if it gives none. */
export function createdAtIn(record: JsonObject | null): number | null {
  return typeof record?.createdDate === 'string' ? createdAtOf(record.createdDate) : null;
}

export function createdAtOf(createdDate: string): number | null {
  const at = instantOf(createdDate);
  return at > 0 ? at : null;
}

const SERVER_ASSIGNED = {
  profileId: '',
  revision: 0,
  blankWidth: 0,
  archived: false,
  createdBy: '',
  createdDate: '',
  editedBy: '',
  editedDate: '',
} as const;
