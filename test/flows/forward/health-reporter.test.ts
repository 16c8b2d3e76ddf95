import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ToldPlant } from '../../../src/domain/fleet/told-plant.ts';
import { HealthReporter } from '../../../src/flows/forward/health-reporter.ts';
import type { CentralAnswer, CentralRequest } from '../../../src/flows/forward/upstream-ports.ts';
import { quietLog } from '../../adapters/store/open-test-store.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';

const TOLD: ToldPlant = { timeZone: 'UTC', shifts: [], machines: [], reasons: [], rates: [] };

interface Report {
  readonly gatewayId: string;
  readonly stream: string;
  readonly health: typeof HEALTHY;
}

let reports: Report[];
let plants: object[];
let waitsMs: number[];
let answers: CentralAnswer[];
let isConnected: boolean;
let nowMs: number;
let act: () => void;
let reporter: HealthReporter;

beforeEach(() => {
  reports = [];
  plants = [];
  waitsMs = [];
  answers = [];
  isConnected = true;
  nowMs = 0;
  const { exchange: _, ...health } = HEALTHY;
  reporter = new HealthReporter({
    server: { ask },
    isConnected: () => isConnected,
    health: async () => health,
    store: { queueTotals: async () => ({ stream: 'stream-1' }) },
    plant: () => ({ digest: 'd-1', told: TOLD }),
    gatewayId: 'gate 1',
    clock: { now: () => ({ monotonicMs: nowMs, wallMs: 5_000_000 + nowMs }) },
    after: (delayMs, next) => {
      waitsMs.push(delayMs);
      act = next;
      return () => undefined;
    },
    log: quietLog,
  });
});

afterEach(() => reporter.pause());

async function ask({ path, body }: CentralRequest): Promise<CentralAnswer> {
  if (path === '/api/v1/sync/plant') {
    plants.push(JSON.parse(String(body)));
    return answered(200, { isKept: true });
  }
  expect(path).toBe('/api/v1/sync/health');
  reports.push(JSON.parse(String(body)));
  nowMs += 60;
  return answers.shift() ?? answered(200, { receivedAt: 7_000, isKept: true });
}

function answered(status: number, body: object): CentralAnswer {
  return { kind: 'answered', status, headers: {}, bytes: Buffer.from(JSON.stringify(body)), extent: 'whole' };
}

/** Gives the pause after each of the first turns. */
async function pauses(turns: number): Promise<readonly number[]> {
  reporter.start();
  for (let turn = 1; turn <= turns; turn += 1) {
    await vi.waitUntil(() => waitsMs.length === turn);
    if (turn < turns) act();
  }
  return waitsMs;
}

it('D-97 tells its condition every 15 s, and the times of the report before as soon as there is one', async () => {
  expect(await pauses(3)).toEqual([5_000, 15_000, 15_000]);
  expect(reports[0]).toEqual({
    gatewayId: 'gate 1',
    stream: 'stream-1',
    health: { ...HEALTHY, exchange: null },
    plantDigest: 'd-1',
  });
  expect(reports.map(({ health }) => health.exchange)).toEqual([
    null,
    { sentAt: 5_000_000, roundTripMs: 60, receivedAt: 7_000 },
    { sentAt: 5_000_060, roundTripMs: 60, receivedAt: 7_000 },
  ]);
});

it('D-97 asks an older central server again after an hour', async () => {
  answers = [answered(404, {})];
  expect(await pauses(1)).toEqual([3_600_000]);
});

it.each<[string, CentralAnswer, number]>([
  ['that does not know it yet', answered(200, { receivedAt: 1, isKept: false }), 5_000],
  ['that refuses it', answered(400, { errors: ['health'] }), 15_000],
  ['that gives no answer', { kind: 'unanswered', detail: 'timeout' }, 15_000],
  ['that gives another answer', answered(200, {}), 15_000],
])('D-97 a central server %s hears of it again', async (_, answer, pauseMs) => {
  answers = [answer];
  expect(await pauses(2)).toEqual([pauseMs, expect.any(Number)]);
  expect(reports).toHaveLength(2);
});

it('D-97 without a connection nothing is sent', async () => {
  isConnected = false;
  expect(await pauses(2)).toEqual([1_000, 1_000]);
  expect(reports).toEqual([]);
});

it('D-105 tells its plant when the central server has another one, and not to one that does not ask', async () => {
  answers = [answered(200, { receivedAt: 7_000, isKept: true, wantsPlant: true })];
  await pauses(3);
  expect(plants).toEqual([{ gatewayId: 'gate 1', stream: 'stream-1', digest: 'd-1', plant: TOLD }]);
});
