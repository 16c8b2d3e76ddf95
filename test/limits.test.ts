import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FOLDERS, LIMITS_DOCUMENT, limitsDocument, memoryLimits } from '../build/limits-table.ts';
import { constantsIn, limitsOf } from '../build/read-limits.ts';

describe('docs/limits.md', () => {
  it('agrees with the sources; `npm run limits` writes it again', async () => {
    expect(readFileSync(LIMITS_DOCUMENT, 'utf8')).toBe(await limitsDocument());
  });

  it('D-25 the memory that clients can fill together stays below 100 MiB', async () => {
    const limits = await memoryLimits();
    expect(limits.length).toBe(15);
    expect(limits.reduce((sum, { value }) => sum + value, 0)).toBeLessThan(100 * 1_048_576);
  });

  it.each(FOLDERS)('every limit of the table %s is explained', (_, folder) => {
    const bare = constantsIn(folder).filter(({ comment }) => comment === null);
    expect(bare.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  it.each(['src/adapters/broker/limits.ts', 'src/adapters/http/limits.ts'])(
    'every limit in %s is explained',
    async (file) => {
      const limits = await limitsOf(file);
      expect(limits.length).toBeGreaterThan(20);
      expect(limits.filter(({ comment }) => comment === null).map(({ name }) => name)).toEqual([]);
      expect(limits.filter(({ value }) => !Number.isFinite(value)).map(({ name }) => name)).toEqual([]);
    },
  );
});
