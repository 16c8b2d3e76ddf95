import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClaimVerdict, judgeClaim, NAME_TIMES, type NameClaim } from '../../../src/domain/sync/name-claim.ts';

const NOW_MS = 1_000_000;
const { silenceMs } = NAME_TIMES;

function claim(parts: Partial<NameClaim> = {}): NameClaim {
  const fresh = { isRefused: false, isHolderRefused: false };
  return { ...fresh, holderHeardMs: NOW_MS, waitingSinceMs: null, ...parts };
}

const CASES: readonly (readonly [string, Partial<NameClaim>, ClaimVerdict])[] = [
  ['a new stream, the holder just heard', {}, 'wait'],
  ['the holder silent for less than its time', { holderHeardMs: NOW_MS - silenceMs + 1 }, 'wait'],
  ['the holder silent for its time', { holderHeardMs: NOW_MS - silenceMs }, 'take'],
  ['both heard, not long enough', { waitingSinceMs: NOW_MS - silenceMs + 1 }, 'wait'],
  ['both heard for a while', { waitingSinceMs: NOW_MS - silenceMs }, 'refuse'],
  [
    'waiting for long, the holder silent again since',
    { waitingSinceMs: NOW_MS - 9 * silenceMs, holderHeardMs: NOW_MS - silenceMs },
    'take',
  ],
  ['refused, and the holder gone for years', { isRefused: true, holderHeardMs: 0 }, 'refuse'],
  ['the holder refused by a person', { isHolderRefused: true }, 'take'],
  ['both refused', { isRefused: true, isHolderRefused: true }, 'refuse'],
];

describe('a claim on a name that another stream holds', () => {
  it.each(CASES)('D-27 %s', (_, parts, verdict) => {
    expect(judgeClaim(claim(parts), NOW_MS)).toBe(verdict);
  });

  it('D-27 is never taken beside a holder that was heard within its time and is not refused', () => {
    const claims = fc.record({
      isRefused: fc.boolean(),
      isHolderRefused: fc.constant(false),
      holderHeardMs: fc.integer({ min: NOW_MS - silenceMs + 1, max: NOW_MS }),
      waitingSinceMs: fc.option(fc.integer({ min: 0, max: NOW_MS }), { nil: null }),
    });
    fc.assert(fc.property(claims, (one) => judgeClaim(one, NOW_MS) !== 'take'));
  });

  it('D-27 does not wait for ever: whatever the holder does, it is taken or refused within twice its time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * silenceMs }), (heardAfterMs) => {
        const holderHeardMs = NOW_MS + heardAfterMs;
        const one = claim({ waitingSinceMs: NOW_MS, holderHeardMs });
        expect(judgeClaim(one, Math.max(holderHeardMs, NOW_MS + 2 * silenceMs))).not.toBe('wait');
      }),
    );
  });
});
