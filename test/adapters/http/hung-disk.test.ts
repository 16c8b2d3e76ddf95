import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/http/limits.ts';
import { type GatewayUnderTest, keyOf, machineOf, startGateway, statusOf } from './gateway-under-test.ts';

const HANGS_FOR_MS = 3_000;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ machines: [machineOf('RF-01')] });
});
afterAll(() => gateway.close());

it('metrics come within two seconds while the disk hangs, with the earlier numbers of the queue', async () => {
  const metrics = async () => (await fetch(`http://127.0.0.1:${gateway.port}/metrics`)).text();
  expect(await metrics()).toMatch(/^plantgate_queue_depth 0$/m);
  gateway.testing.stall(HANGS_FOR_MS);
  const since = performance.now();
  const text = await metrics();
  expect(performance.now() - since).toBeLessThan(LIMITS.queueNumbersWaitMs + 1_000);
  expect(text).toMatch(/^plantgate_queue_depth 0$/m);
  expect(text).toContain('plantgate_store_healthy');
});

it('D-09 a part that the device names while a choice goes to the disk is stored as the later choice', async () => {
  const say = (mSecSinceBoot: number) =>
    gateway.postStatus(statusOf({ machineId: 'RF-01', partId: 'P-200', mSecSinceBoot }));
  await say(1_000);
  gateway.testing.stall(400);
  const choosing = gateway.as(keyOf('technician'), 'PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await say(2_000);
  expect(await choosing).toMatchObject({ status: 200, body: { part: { partId: 'P-200' } } });
  const database = new Database(path.join(gateway.dataDir, 'plantgate.db'), { readonly: true });
  const stored = database.prepare("SELECT json ->> 'partId' FROM machine_part").pluck().all();
  database.close();
  expect(stored).toEqual(['P-200']);
});
