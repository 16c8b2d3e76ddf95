import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AuditEntry,
  type ChainedEntry,
  chainFault,
  chainText,
  FIRST_HASH,
} from '../../../src/domain/audit/audit-entry.ts';

const sha256 = (text: string) => hash('sha256', text);

const text = fc.string({ maxLength: 20 });
const entry: fc.Arbitrary<AuditEntry> = fc.record({
  entryId: fc.uuid(),
  at: fc.integer({ min: 0, max: 2e12 }),
  ...{ who: text, role: text, address: text, act: text, subject: text },
  ...{ before: fc.option(text), after: fc.option(text) },
});
const chain = fc.array(entry, { minLength: 2, maxLength: 8 }).map((entries) => {
  const chained: ChainedEntry[] = [];
  for (const [place, one] of entries.entries()) {
    const previous = chained.at(-1)?.hash ?? FIRST_HASH;
    chained.push({ ...one, number: place + 1, previous, hash: sha256(chainText(previous, one)) });
  }
  return chained;
});

function faults(entries: readonly ChainedEntry[]): readonly string[] {
  return entries.flatMap((one, place) => chainFault(one, entries[place - 1] ?? null, sha256) ?? []);
}

describe('the chain of audit entries', () => {
  it('is valid as it was written, also after retention has removed its oldest entries', () => {
    fc.assert(
      fc.property(chain, fc.nat(7), (entries, gone) => {
        expect(faults(entries.slice(Math.min(gone, entries.length - 1)))).toEqual([]);
      }),
    );
  });

  it('reveals every entry that was changed, removed or moved', () => {
    const tamperings: readonly ((entries: readonly ChainedEntry[], place: number) => readonly ChainedEntry[])[] = [
      (entries, place) => entries.map((one, at) => (at === place ? { ...one, who: `${one.who}!` } : one)),
      (entries, place) => entries.map((one, at) => (at === place ? { ...one, at: one.at + 1 } : one)),
      (entries, place) => entries.filter((_, at) => at !== place || at === 0 || at === entries.length - 1),
      (entries, place) => entries.map((one, at) => (at === place ? { ...one, hash: FIRST_HASH } : one)),
    ];
    fc.assert(
      fc.property(chain, fc.nat(7), fc.constantFrom(...tamperings), (entries, at, tamper) => {
        const changed = tamper(entries, at % entries.length);
        fc.pre(changed.length < entries.length || changed.some((one, place) => one !== entries[place]));
        expect(faults(changed).length).toBeGreaterThan(0);
      }),
    );
  });
});
