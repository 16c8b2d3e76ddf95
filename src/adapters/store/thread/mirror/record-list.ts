import type { Result } from '../../../../domain/result.ts';

/** A page as a list of records, or its faults. */
export type RecordList = Result<{ readonly records: readonly unknown[] }, { readonly fault: string }>;

const decoder = new TextDecoder('utf-8', { fatal: true });

export function recordsOf(bytes: Uint8Array): RecordList {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return Array.isArray(value) ? { ok: true, records: value } : { ok: false, fault: 'an answer that is no list' };
  } catch {
    return { ok: false, fault: 'an answer that is no JSON' };
  }
}
