import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets, newKey } from '../../../src/adapters/system/secrets.ts';
import { processorMs } from '../../rounds.ts';

const STRENGTHS = ['key', 'devicePassword', 'personPassword'] as const;

describe('AUTH-02 hashing of secrets', () => {
  it.each(STRENGTHS)('recognises a %s by its hash, which does not contain it', async (strength) => {
    const secrets = createSecrets();
    const hash = await secrets.hash(strength, 'open sesame');
    expect(hash).not.toContain('sesame');
    expect(await secrets.verify(hash, 'open sesame')).toBe(true);
    expect(await createSecrets().verify(hash, 'open sesame')).toBe(true);
    expect(await secrets.verify(hash, 'open sesam')).toBe(false);
    expect(await secrets.verify(hash, '')).toBe(false);
  });

  it.each(STRENGTHS)('gives every %s a salt of its own', async (strength) => {
    const { hash } = createSecrets();
    expect(await hash(strength, 'same')).not.toBe(await hash(strength, 'same'));
  });

  it('tells any two keys apart', async () => {
    const { hash, verify } = createSecrets();
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (one, other) => {
        expect(await verify(await hash('key', one), other)).toBe(one === other);
      }),
    );
  });

  it.each([
    '',
    'sha256',
    'sha256$$',
    'sha256$AAAA$AAAA',
    'scrypt$11$AAAA$AAAA',
    `scrypt$99$${'A'.repeat(22)}$${'A'.repeat(43)}`,
    `scrypt$x$${'A'.repeat(22)}$${'A'.repeat(43)}`,
    `md5$${'A'.repeat(22)}$${'A'.repeat(43)}`,
    'plain text',
  ])('lets no secret match %j', async (hash) => {
    expect(await createSecrets().verify(hash, '')).toBe(false);
    expect(await createSecrets().verify(hash, hash)).toBe(false);
  });

  it('takes time for a right password once: a thousand connections after it cost next to nothing', async () => {
    const { hash } = createSecrets();
    const stored = await hash('personPassword', 'right');
    const { verify } = createSecrets();
    const timed = async (times: number) => {
      const startedMs = performance.now();
      for (let time = 0; time < times; time++) expect(await verify(stored, 'right')).toBe(true);
      return performance.now() - startedMs;
    };
    const firstMs = await timed(1);
    expect(await timed(1_000)).toBeLessThan(firstMs * 20);
  });

  it('never blocks the thread that asks', async () => {
    const { hash } = createSecrets();
    const [fromMs, busyFromMs] = [performance.now(), processorMs()];
    await Promise.all(Array.from({ length: 6 }, () => hash('personPassword', 'word')));
    // Timers of other test files run in this thread too.
    expect(processorMs() - busyFromMs).toBeLessThan(0.8 * (performance.now() - fromMs));
  });

  it('makes keys that are long and never the same', () => {
    const keys = new Set(Array.from({ length: 100 }, newKey));
    expect(keys.size).toBe(100);
    expect([...keys].every((key) => /^[\w-]{43}$/.test(key))).toBe(true);
  });
});
