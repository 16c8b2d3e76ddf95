import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/http/limits.ts';
import { machineMetrics } from '../../../src/adapters/http/sliced-metrics.ts';
import { inSlices } from '../../../src/runtime/slice.ts';
import { longestTurnMs } from '../../rounds.ts';
import { type GatewayUnderTest, keyOf, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** A text that is not shared with the request before. */
async function metrics(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 2 * LIMITS.metricsSharedMs));
  return (await gateway.call('GET', '/metrics')).text;
}

async function statesOf(machineId: string): Promise<Readonly<Record<string, number>>> {
  const text = await metrics();
  const lines = text.matchAll(/^plantgate_machine_state\{machineId="([^"]+)",state="(\w+)"\} ([01])$/gm);
  const own = [...lines].filter(([, id]) => id === machineId);
  return Object.fromEntries(own.map(([, , state = '', value]) => [state, Number(value)]));
}

const NONE = { running: 0, stopped: 0, off: 0, held: 0, fault: 0, silent: 0, override: 0 };

it('each machine is in one state, which /metrics says', async () => {
  expect(await statesOf('RF-01')).toEqual({ ...NONE, off: 1 });
  await gateway.postStatus(statusOf());
  expect(await statesOf('RF-01')).toEqual({ ...NONE, held: 1 });
  await gateway.as(keyOf('technician'), 'PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' });
  await gateway.postStatus(statusOf({ mSecSinceBoot: 2_000 }));
  expect(await statesOf('RF-01')).toEqual({ ...NONE, running: 1 });
  await gateway.postStatus(statusOf({ mSecSinceBoot: 3_000, fault: true, goodPart: 7, badPart: 2 }));
  expect(await statesOf('RF-01')).toEqual({ ...NONE, fault: 1 });
  await gateway.postStatus(statusOf({ mSecSinceBoot: 4_000, override: true, goodPart: 7, badPart: 2 }));
  expect(await statesOf('RF-01')).toEqual({ ...NONE, override: 1 });
  const text = await metrics();
  expect(text).toContain('plantgate_machine_good_parts_total{machineId="RF-01"} 7\n');
  expect(text).toContain('plantgate_machine_bad_parts_total{machineId="RF-01"} 2\n');
  expect(text).toMatch(/^# TYPE plantgate_machine_running_seconds_total counter$/m);
  gateway.pass(11_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await statesOf('RF-01')).toEqual({ ...NONE, silent: 1 });
});

it('5,000 machines are written in slices, and ids are escaped', async () => {
  const one = { condition: 'running', goodParts: 1, badParts: 0, runningSeconds: 2.5 } as const;
  const machines = Array.from({ length: 5_000 }, (_, place) => ({ ...one, machineId: `RF-"${place}\\` }));
  let text = '';
  const longestMs = await longestTurnMs(async () => {
    text = await inSlices(machineMetrics(machines));
  });
  expect(text).toContain('plantgate_machine_state{machineId="RF-\\"4999\\\\",state="running"} 1\n');
  expect(longestMs).toBeLessThan(100);
});
