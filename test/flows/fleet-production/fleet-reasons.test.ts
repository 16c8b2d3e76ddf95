import { expect, it } from 'vitest';
import type { SlicedWork } from '../../../src/domain/sliced-work.ts';
import { FleetReasons } from '../../../src/flows/fleet-production/fleet-reasons.ts';
import { planOf } from '../../../src/flows/fleet-production/gateway-plan.ts';
import { processorMs } from '../../rounds.ts';

const COUNT = 1_000;
const told = {
  timeZone: 'UTC',
  shifts: [{ name: 'Day', start: '06:00' }],
  machines: [],
  reasons: Array.from({ length: COUNT }, (_, n) => ({ id: `DT-${n}`, reason: `R ${n}`, group: '', planned: null })),
  rates: [],
};
const gateways = Array.from({ length: 250 }, (_, n) => {
  const gatewayId = `gateway-${n}`;
  return { gatewayId, plantId: 'default', name: null, plan: planOf(gatewayId, told) };
});

it('D-105 the reasons of 250 gateways keep the main thread for less than 20 ms at once', () => {
  let longestMs = 0;
  const watched = <T>(work: SlicedWork<T>): T => {
    for (;;) {
      const begunMs = processorMs();
      const step = work.next();
      longestMs = Math.max(longestMs, processorMs() - begunMs);
      if (step.done === true) return step.value;
    }
  };
  const reasons = watched(FleetReasons.of(gateways, []));
  const none = { plannedMs: 0, outsideMs: 0, longestMs: 0, count: 1 };
  const stops = gateways.flatMap(({ gatewayId }) =>
    told.reasons.map(({ id }, n) => ({ ...none, gatewayId, key: id, ms: n })),
  );
  expect(watched(reasons.topOf(stops))).toEqual({ reasonId: `DT-${COUNT - 1}`, ms: 250 * (COUNT - 1) });
  expect(longestMs).toBeLessThan(20);
});
