import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LIMITS_DOCUMENT, limitsDocument, limitsOf } from '../build/limits-table.ts';

describe('docs/limits.md', () => {
  it('says what the sources say; `npm run limits` makes it anew', async () => {
    expect(readFileSync(LIMITS_DOCUMENT, 'utf8')).toBe(await limitsDocument());
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
