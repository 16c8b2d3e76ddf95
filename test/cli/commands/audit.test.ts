import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ChainedEntry, chainText, FIRST_HASH } from '../../../src/domain/audit/audit-entry.ts';
import { sendJson, useCliBeside } from '../program-under-test.ts';

let entries: readonly ChainedEntry[] = [];

function chainOf(count: number): readonly ChainedEntry[] {
  const chain: ChainedEntry[] = [];
  for (let number = 1; number <= count; number++) {
    const entry = { entryId: `E-${number}`, at: number, who: 'pat', role: 'technician', address: '::1' };
    const act = { ...entry, act: 'selectPart', subject: 'RF-01', before: null, after: null };
    const previous = chain[0]?.hash ?? FIRST_HASH;
    chain.unshift({ ...act, number, previous, hash: hash('sha256', chainText(previous, act)) });
  }
  return chain;
}

const { cli } = useCliBeside((path, response) => {
  const before = Number(/before=(\d+)/.exec(path)?.[1] ?? Number.POSITIVE_INFINITY);
  const page = entries.filter(({ number }) => number < before).slice(0, 2);
  const lowest = page.at(-1)?.number ?? 1;
  sendJson(response, { entries: page, next: lowest > 1 ? lowest : null });
});

describe('plantgate audit verify', () => {
  it('confirms over several pages that nothing was changed', async () => {
    entries = chainOf(5);
    const { exitCode, out } = await cli.run('audit', 'verify');
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: ['5 entries, none was changed or taken away.'] });
    const forPrograms = await cli.run('audit', 'verify', '--json');
    expect(JSON.parse(forPrograms.out.join('\n'))).toEqual({ entries: 5, faults: [] });
  });

  it('names a changed entry, and exits with 74', async () => {
    entries = chainOf(5).map((entry) => (entry.number === 3 ? { ...entry, who: 'sam' } : entry));
    const { exitCode, err } = await cli.run('audit', 'verify');
    expect(exitCode).toBe(74);
    expect(err).toEqual(['entry 3 was changed after it was written.']);
  });

  it('names the place of a removed entry', async () => {
    entries = chainOf(5).filter(({ number }) => number !== 3);
    expect((await cli.run('audit', 'verify')).err).toEqual(['entries 3 to 3 were taken away.']);
  });
});
