import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readLocalAccess } from '../../src/adapters/system/local-access.ts';
import type { DemoGateway } from '../../src/cli/commands/demo/demo.ts';
import { demoGateway } from '../../src/cli/commands/demo/demo-gateway.ts';
import { datesBefore } from '../../src/domain/shift/shift-dates.ts';
import { simulatedMachines } from '../../src/simulator/machine/rolling-line.ts';
import { samplePlant } from '../../src/simulator/plant/sample-plant.ts';
import { SAMPLE_PROFILES } from '../../src/simulator/plant/sample-profiles.ts';
import { threadEntry } from '../adapters/store/open-test-store.ts';
import { fakeIo } from '../cli/program-under-test.ts';

const MACHINES = 2;

let dir: string;
let gateway: DemoGateway;
let key: string;
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'plantgate-history-'));
  const start = demoGateway({ environment: {}, cwd: dir, hostName: 'test', timeZone: 'UTC' }, threadEntry, fakeIo());
  gateway = await start(
    { gatewayId: 'demo', dataDir: dir, http: { port: 0 }, mqtt: { port: 0 }, legacyAgent: { kind: 'simulated' } },
    samplePlant(MACHINES),
    simulatedMachines(MACHINES, { timeScale: 1 }),
  );
  key = (await readLocalAccess(dir)).key;
});
afterAll(async () => {
  await gateway.close();
  rmSync(dir, { recursive: true, force: true });
});

async function ask<Answer>(place: string): Promise<Answer> {
  const answer = await fetch(`${gateway.httpUrl}/api/local${place}`, { headers: { authorization: `ApiKey ${key}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

const today = new Date().toISOString().slice(0, 10);
const days = (count: number) => {
  const { from } = datesBefore({ from: today, to: today }, count);
  return `from=${from}&to=${today}`;
};

it('D-78: the demo begins with 35 days in which each machine made parts, and all time is accounted for', async () => {
  const { rows } = await ask<{ rows: Record<string, number>[] }>(`/production/sums?by=day&${days(35)}`);
  expect(rows.length).toBeGreaterThanOrEqual(35);
  for (const row of rows) {
    expect(row.goodParts).toBeGreaterThan(0);
    const spent = ['running', 'plannedStop', 'unplannedStop', 'shortStop', 'fault', 'offline'];
    const seconds = spent.reduce((sum, name) => sum + (row[`${name}Seconds`] ?? 0), 0);
    expect(seconds).toBeCloseTo(row.plannedSeconds ?? 0, 0);
  }
});

it('D-78: the stops of the past have reasons of every group, a machine its curves, and today goes on counting', async () => {
  const { rows } = await ask<{ rows: { group: string | null }[] }>(`/production/stops?by=reason&${days(35)}`);
  const groups = new Set(rows.map(({ group }) => group));
  expect([...groups]).toEqual(expect.arrayContaining(['Planned', 'Setup', 'Breakdown', 'Material', 'Staff']));
  const from = new Date(Date.now() - 20 * 86_400_000).toISOString();
  const curve = await ask<{ buckets: unknown[] }>(`/machines/RF-01/variables/motorTemp?buckets=100&from=${from}`);
  expect(curve.buckets.length).toBeGreaterThan(50);
  const machine = '/machines/RF-01/production';
  const { shiftDate, shifts } = await ask<{ shiftDate: string; shifts: { goodParts: number }[] }>(machine);
  const ofDay = `machineId=RF-01&from=${shiftDate}&to=${shiftDate}`;
  const day = await ask<{ total: { goodParts: number } }>(`/production/sums?by=day&${ofDay}`);
  expect(shifts.reduce((sum, { goodParts }) => sum + goodParts, 0)).toBe(day.total.goodParts);
});

it('D-78, D-90: the demo has orders in every state, and profiles of several categories', async () => {
  interface Found {
    readonly rows: readonly {
      readonly orderKey: string;
      readonly madePieces: number;
      readonly requiredDateTime: unknown;
    }[];
    readonly counts: Readonly<Record<string, number>>;
  }
  const { rows, counts } = await ask<Found>('/orders?choice=open');
  expect(counts).toMatchObject({ open: 12, overdue: 4, onHold: 3, made: 4 });
  expect(rows.filter(({ madePieces }) => madePieces > 0)).toHaveLength(6);
  expect(rows.filter(({ requiredDateTime }) => requiredDateTime === null)).toHaveLength(2);
  const [begun] = rows.filter(({ madePieces }) => madePieces > 0);
  const { items } = await ask<{ items: readonly object[] }>(`/orders/items?orderKey=${begun?.orderKey}`);
  expect(items).toHaveLength(2);
  expect(new Set(SAMPLE_PROFILES.map(({ category }) => category)).size).toBeGreaterThanOrEqual(3);
});

it('D-78: the demo has alerts of the last week, taken and not, and rules that are on', async () => {
  interface Past {
    readonly name: string;
    readonly takenBy: string | null;
    readonly beganAt: string;
    readonly endedAt: string;
  }
  const past = await ask<readonly Past[]>('/alerts?state=over');
  expect(past.length).toBeGreaterThan(3);
  expect(new Set(past.map(({ takenBy }) => takenBy === null))).toEqual(new Set([true, false]));
  expect(past.every(({ beganAt, endedAt }) => beganAt < endedAt)).toBe(true);
  expect(past.map(({ name }) => name).join()).not.toContain('RF-');
  const rules = await ask<readonly { readonly kind: string; readonly isOn: boolean }[]>('/alerts/rules');
  expect(rules.filter(({ isOn }) => isOn).map(({ kind }) => kind)).toEqual(['held', 'fault', 'scrap', 'taskLate']);
});
