import type { StoreRecord } from '../../flows/store-ports.ts';
import { Slice } from '../../runtime/slice.ts';

/** A row of the journal has about this many characters at most, or one longer record. */
const ROW_CHARACTERS = 256 * 1024;
/** The key under which bytes stand in JSON, in base64. */
const BYTES = '$bytes';

/**
 * The format of records that this program writes. A program that knows an older one stops following the journal, because it
 * would leave something out: a new kind of record, or one that means something else, counts it up.
 */
export const RECORD_FORMAT = 1;

/** Records as JSON: arrays of some of them, in order. Long work is done in slices. */
export async function recordTexts(records: readonly StoreRecord[]): Promise<readonly string[]> {
  const slice = new Slice();
  const texts: string[] = [];
  let row: string[] = [];
  let characters = 0;
  for (const record of records) {
    const text = JSON.stringify(record, withBytes);
    if (row.length > 0 && characters + text.length > ROW_CHARACTERS) {
      texts.push(`[${row.join(',')}]`);
      row = [];
      characters = 0;
    }
    row.push(text);
    characters += text.length;
    await slice.pause();
  }
  texts.push(`[${row.join(',')}]`);
  return texts;
}

/** The records of a row. The journal has only what `recordTexts` of a program with the same format made. */
export function recordsIn(text: string): readonly StoreRecord[] {
  // Looking at each value takes ten times as long as reading it.
  const records: unknown = text.includes(`"${BYTES}"`) ? JSON.parse(text, withoutBytes) : JSON.parse(text);
  return records as readonly StoreRecord[];
}

function withBytes(this: unknown, key: string, value: unknown): unknown {
  // A Buffer has become an object of numbers already: the original is in `this`.
  const original: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : value;
  return original instanceof Uint8Array ? { [BYTES]: Buffer.from(original).toString('base64') } : value;
}

function withoutBytes(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(BYTES in value)) return value;
  return new Uint8Array(Buffer.from(String(value[BYTES]), 'base64'));
}
