import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClaimVerdict, judgeClaim, NAME_TIMES, type NameClaim } from '../../../src/domain/sync/name-claim.ts';

const NOW_MS = 1_000_000;
const { silenceMs, backWithinMs } = NAME_TIMES;

/** A holder that was heard and answered `agoMs` ago. */
function heard(agoMs: number): NameClaim['holder'] {
  return { heardMs: NOW_MS - agoMs, aliveUntilMs: NOW_MS - agoMs + silenceMs };
}

const CASES: readonly (readonly [string, Partial<NameClaim>, ClaimVerdict])[] = [
  ['a new stream, the holder just heard', {}, 'wait'],
  ['the holder silent for less than its time', { holder: heard(silenceMs - 1) }, 'wait'],
  ['the holder silent for its time', { holder: heard(silenceMs) }, 'take'],
  ['the holder put off, and to come back', { holder: { heardMs: 0, aliveUntilMs: NOW_MS + 1 } }, 'wait'],
  ['the holder put off, and not come back', { holder: { heardMs: 0, aliveUntilMs: NOW_MS } }, 'take'],
  ['both heard, not long enough', { waitingSinceMs: NOW_MS - silenceMs + 1 }, 'wait'],
  ['both heard for a while', { waitingSinceMs: NOW_MS - silenceMs }, 'refuse'],
  [
    'waiting for long, the holder silent since',
    { waitingSinceMs: NOW_MS - backWithinMs, holder: heard(silenceMs) },
    'take',
  ],
  ['with the key of another principal', { isOwnersKey: false }, 'refuse'],
  [
    'with the key of another principal, the holder gone for years',
    { isOwnersKey: false, holder: { heardMs: 0, aliveUntilMs: 0 } },
    'refuse',
  ],
  ['refused, and the holder gone for years', { isRefused: true, holder: { heardMs: 0, aliveUntilMs: 0 } }, 'refuse'],
];

describe('a claim on a name that another stream holds', () => {
  it.each(CASES)('D-27 %s', (_, parts, verdict) => {
    const claim = { isRefused: false, isOwnersKey: true, holder: heard(0), waitingSinceMs: null, ...parts };
    expect(judgeClaim(claim, NOW_MS)).toBe(verdict);
  });

  it('D-27 is never granted beside a holder that was heard within its time', () => {
    const claims = fc.record({
      isRefused: fc.boolean(),
      isOwnersKey: fc.boolean(),
      holder: fc.integer({ min: 0, max: silenceMs - 1 }).map(heard),
      waitingSinceMs: fc.option(fc.integer({ min: 0, max: NOW_MS }), { nil: null }),
    });
    fc.assert(fc.property(claims, (claim) => judgeClaim(claim, NOW_MS) !== 'take'));
  });

  it('D-27 is granted or refused within twice its time, for any behaviour of the holder', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * silenceMs }), (agoMs) => {
        const claim = {
          isRefused: false,
          isOwnersKey: true,
          holder: heard(agoMs),
          waitingSinceMs: NOW_MS - 2 * silenceMs,
        };
        expect(judgeClaim(claim, NOW_MS)).not.toBe('wait');
      }),
    );
  });
});
