import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { followGatewayClock, gatewayNowMs } from '../../src/page/show/clock.ts';

afterEach(() => vi.useRealTimers());

const DATE_STEP_MS = 1_000;
const AT_MS = Date.parse('2026-11-28T12:00:00Z');

interface Exchange {
  readonly waitMs: number;
  readonly toGatewayMs: number;
  readonly toBrowserMs: number;
}

/** The browser sends a request after a while, and reads `Date` of the answer, which the gateway wrote in between. */
function exchange({ waitMs, toGatewayMs, toBrowserMs }: Exchange, gatewayAheadMs: number): void {
  vi.advanceTimersByTime(waitMs);
  const sentAtMs = Date.now();
  vi.advanceTimersByTime(toGatewayMs);
  const date = new Date(Date.now() + gatewayAheadMs).toUTCString();
  vi.advanceTimersByTime(toBrowserMs);
  followGatewayClock(date, sentAtMs);
}

function exchanges(longestMs: number) {
  const duration = fc.integer({ min: 0, max: longestMs });
  const one = fc.record({ waitMs: fc.integer({ min: 0, max: 5_000 }), toGatewayMs: duration, toBrowserMs: duration });
  return fc.array(one, { minLength: 1, maxLength: 20 });
}

const aheadMs = fc.integer({ min: -86_400_000, max: 86_400_000 });

it('the page knows the time of the gateway to a second and the time of one answer', () => {
  fc.assert(
    fc.property(aheadMs, exchanges(3_000), (gatewayAheadMs, all) => {
      vi.useFakeTimers({ now: AT_MS });
      for (const one of all) {
        exchange(one, gatewayAheadMs);
        const errorMs = gatewayNowMs() - (Date.now() + gatewayAheadMs);
        expect(Math.abs(errorMs)).toBeLessThanOrEqual(DATE_STEP_MS + one.toGatewayMs + one.toBrowserMs);
      }
    }),
  );
});

it('the time of the page does not jump to and fro with the answers of a gateway whose clock goes on', () => {
  fc.assert(
    fc.property(aheadMs, exchanges(3_000), (gatewayAheadMs, [first, ...others]) => {
      vi.useFakeTimers({ now: AT_MS });
      if (first !== undefined) exchange(first, gatewayAheadMs);
      const estimates = [gatewayNowMs() - Date.now()];
      for (const one of others) {
        exchange(one, gatewayAheadMs);
        estimates.push(gatewayNowMs() - Date.now());
      }
      const moves = estimates.slice(1).map((estimate, place) => estimate - (estimates[place] ?? 0));
      // An estimate that was corrected in one direction is never moved back.
      expect(moves.every((move) => move >= 0) || moves.every((move) => move <= 0)).toBe(true);
    }),
  );
});
