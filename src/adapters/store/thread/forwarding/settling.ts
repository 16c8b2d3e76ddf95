import { hash } from 'node:crypto';
import { parse } from 'yaml';
import { asJsonObject, type JsonObject } from '../../../../domain/json/json.ts';
import { isIn } from '../../../../domain/sync/expected.ts';
import {
  presenceBy,
  type RowEvidence,
  rowEvidence,
  type SoughtOrder,
} from '../../../../domain/sync/order-in-summary.ts';
import { createdAtIn, mayBe, profileIdIn } from '../../../../domain/sync/profile-match.ts';
import type { ProfilePage, SettleQueries } from '../../../../flows/forward/settle-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import { recordsOf } from '../mirror/record-list.ts';
import { yamlItems } from '../mirror/yaml-items.ts';

/** The central server's ids of profiles. */
interface ProfileNames {
  /** Our id of the profile with this id there; null if none is known. */
  ownOf(upstreamId: string, createdAt: number | null): string | null;
}

/** Reads answers of the central server, perhaps of megabytes, to settle sent operations (D-30). */
export const settling = (names: ProfileNames): SettleQueries => ({
  isIn: async (bytes, expected) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    return expected.of === 'order' ? isInSummary(text, expected.order) : isIn(text, expected);
  },
  profilePage: async (bytes, sent, from) => {
    const list = recordsOf(bytes);
    if (!list.ok) return null;
    const isAlike = (record: JsonObject | null) => mayBe(sent, record) && !isNamed(names, record);
    return pageOf(list.records, isAlike, from);
  },
});

/** Whether a record there is known as a profile of ours already: then it is not the one whose answer was lost. */
function isNamed(names: ProfileNames, record: JsonObject | null): boolean {
  const id = profileIdIn(record);
  return id !== null && names.ownOf(id, createdAtIn(record)) !== null;
}

/** Whether an order is in a summary; null if the summary does not show this, or is in a form that cannot be read. */
async function isInSummary(text: string, order: SoughtOrder): Promise<boolean | null> {
  const evidence = new Set<RowEvidence>();
  const slice = new Slice();
  try {
    for (const item of yamlItems(text)) {
      await slice.pause();
      if (evidence.has('other') && !mayHold(item, order.id)) continue;
      for (const row of rowsOf(item)) evidence.add(rowEvidence(row, order));
      if (evidence.has('same')) return true;
    }
  } catch {
    // A text that is no YAML shows nothing.
    return null;
  }
  return presenceBy(evidence);
}

/** Whether an id may be in a part of the summary: as it is, with escaped characters, or on several lines. */
function mayHold(text: string, id: string): boolean {
  return text.includes(id) || /\\|''/.test(text) || /\s/.test(id);
}

/** The rows of a part of the summary. Values stay as they are written: a number would lose its leading zeros. */
function rowsOf(text: string): readonly unknown[] {
  if (text.trim() === 'null') return [];
  const list: unknown = parse(text, { schema: 'failsafe', maxAliasCount: 0 }) ?? [];
  return Array.isArray(list) ? list : [list];
}

async function pageOf(
  records: readonly unknown[],
  isAlike: (record: JsonObject | null) => boolean,
  from: number,
): Promise<ProfilePage> {
  const keys: string[] = [];
  const alike: (string | null)[] = [];
  const slice = new Slice();
  for (const [place, value] of records.entries()) {
    const record = asJsonObject(value);
    const id = profileIdIn(record);
    keys.push(id ?? digestOf(value));
    if (place >= from && isAlike(record)) alike.push(id);
    await slice.pause();
  }
  return { records: keys.length, first: keys[0] ?? null, last: keys.at(-1) ?? null, digest: digestOf(keys), alike };
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64');
}
