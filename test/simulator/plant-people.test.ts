import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { readLocalAccess } from '../../src/adapters/system/local-access.ts';
import type { DemoGateway } from '../../src/cli/commands/demo/demo.ts';
import { demoGateway } from '../../src/cli/commands/demo/demo-gateway.ts';
import { startForklift } from '../../src/simulator/people/forklift.ts';
import { startOffice } from '../../src/simulator/people/office.ts';
import { samplePlant } from '../../src/simulator/plant/sample-plant.ts';
import { SAMPLE_PROFILES } from '../../src/simulator/plant/sample-profiles.ts';
import { seededRandom } from '../../src/simulator/random.ts';
import { threadEntry } from '../adapters/store/open-test-store.ts';
import { fakeIo } from '../cli/program-under-test.ts';

const WAIT = { timeout: 10_000, interval: 50 };
const MACHINES = 3;

let dir: string;
let gateway: DemoGateway;
let key: string;
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'plantgate-people-'));
  const start = demoGateway({ environment: {}, cwd: dir, hostName: 'test', timeZone: 'UTC' }, threadEntry, fakeIo());
  const ports = { http: { port: 0 }, mqtt: { port: 0 } };
  gateway = await start(
    { gatewayId: 'demo', dataDir: dir, ...ports, legacyAgent: { kind: 'simulated' } },
    samplePlant(MACHINES),
    [],
  );
  key = (await readLocalAccess(dir)).key;
});
afterAll(async () => {
  await gateway.close();
  rmSync(dir, { recursive: true, force: true });
});

async function read(place: string): Promise<string> {
  const answer = await fetch(`${gateway.httpUrl}/api/v1${place}`, { headers: { authorization: `ApiKey ${key}` } });
  expect(answer.status).toBe(200);
  return answer.text();
}

describe('the people of the sample plant', () => {
  it('TASK-07 TASK-08 TASK-09 a forklift brings every coil that is asked for, then asks for more', async () => {
    const log: string[] = [];
    const stopped = startForklift({
      httpUrl: gateway.httpUrl,
      key,
      random: seededRandom(1),
      machineIds: ['RF-01', 'RF-02', 'RF-03'],
      roundMs: 20,
      log: (line) => log.push(line),
    });
    const completed = async () =>
      (JSON.parse(await read('/warehouseTasks?taskState=Complete')) as { selectedCoilId: string }[]).length;
    await vi.waitFor(async () => expect(await completed()).toBeGreaterThanOrEqual(MACHINES + 1), WAIT);
    stopped.stop();
    expect(log.some((line) => line.includes('asked for'))).toBe(true);
    expect(log.filter((line) => line.includes('could not'))).toEqual([]);
    const [task] = JSON.parse(await read('/warehouseTasks?taskState=Complete')) as [Record<string, string>];
    const coil = JSON.parse(await read(`/coils/${task.selectedCoilId}`)) as Record<string, string>;
    expect(task.userName).toBe('forklift');
    expect(typeof coil.location).toBe('string');
  });

  it('PROF-01 ORD-01 the office fills the library and sends orders', async () => {
    const orders = async () => parse(await read('/orders/orderSummary')).length;
    const before = await orders();
    const log: string[] = [];
    const office = startOffice({
      httpUrl: gateway.httpUrl,
      key,
      random: seededRandom(1),
      log: (line) => log.push(line),
    });
    await vi.waitFor(() => expect(log.filter((line) => line.includes('sent order'))).toHaveLength(4), WAIT);
    office.stop();
    expect(JSON.parse(await read('/profiles'))).toHaveLength(SAMPLE_PROFILES.length);
    expect(await orders()).toBe(before + 4);
  });

  it('report an obstacle to their work', async () => {
    const log: string[] = [];
    const office = startOffice({
      httpUrl: gateway.httpUrl,
      key: 'wrong',
      random: seededRandom(1),
      log: (line) => log.push(line),
    });
    await vi.waitFor(
      () => expect(log[0]).toContain('office  could not begin: Error: POST /api/v1/profiles answered 401'),
      WAIT,
    );
    office.stop();
  });
});
