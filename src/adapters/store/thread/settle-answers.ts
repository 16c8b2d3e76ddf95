import { hash } from 'node:crypto';
import { asJsonObject } from '../../../domain/json/json-object.ts';
import { type Expected, isIn } from '../../../domain/sync/expected.ts';
import { mayBe, profileIdIn, type SentProfile } from '../../../domain/sync/profile-match.ts';
import type { ProfilePage, SettleQueries } from '../../../flows/forward/settle-ports.ts';
import { Slice } from '../../../runtime/slice.ts';
import { recordsOf } from './mirror/record-list.ts';

/** A summary of orders is looked through in parts of so many characters, each to the end of its line. */
const PART_LENGTH = 32_768;

/** Reads answers of the central server, perhaps of megabytes, to settle sent operations (D-30). */
export const settleAnswers: SettleQueries = {
  isIn: async (bytes, expected) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    return expected.of === 'order' ? isInLines(text, expected) : isIn(text, expected);
  },
  profilePage: async (bytes, sent, from) => {
    const list = recordsOf(bytes);
    return list.ok ? pageOf(list.records, sent, from) : null;
  },
};

async function isInLines(text: string, expected: Expected): Promise<boolean> {
  const slice = new Slice();
  for (let from = 0; from < text.length; ) {
    const lineEnd = text.indexOf('\n', from + PART_LENGTH);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    if (isIn(text.slice(from, end), expected)) return true;
    from = end;
    await slice.pause();
  }
  return false;
}

async function pageOf(records: readonly unknown[], sent: SentProfile, from: number): Promise<ProfilePage> {
  const keys: string[] = [];
  const alike: (string | null)[] = [];
  const slice = new Slice();
  for (const [place, value] of records.entries()) {
    const record = asJsonObject(value);
    const id = profileIdIn(record);
    keys.push(id ?? digestOf(value));
    if (place >= from && mayBe(sent, record)) alike.push(id);
    await slice.pause();
  }
  return { records: keys.length, first: keys[0] ?? null, last: keys.at(-1) ?? null, digest: digestOf(keys), alike };
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64');
}
