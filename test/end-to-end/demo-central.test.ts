import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { GatewayView } from '../../src/flows/receive/gateway-view.ts';
import { DEMO_GATEWAYS } from '../../tools/demo-central/demo-plant.ts';

const DEMO = path.resolve(import.meta.dirname, '../../tools/demo-central/demo-central.ts');
const WITHIN = { timeout: 240_000, interval: 500 };

/** The demo as the leader of a process group: no process of it is left once the group is empty. */
function startDemo(): { readonly child: ChildProcess; readonly said: () => string } {
  const child = spawn(process.execPath, [DEMO, '--port', '0'], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text));
  onTestFinished(() => {
    if (isAlive(child)) process.kill(-(child.pid ?? 0), 'SIGKILL');
  });
  return { child, said: () => said };
}

function isAlive({ pid = 0 }: ChildProcess): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** Directories and databases of demos. */
function leftovers(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('plantgate-demo-central-'));
}

function machinesOf(gatewayId: string): readonly object[] {
  const machines = DEMO_GATEWAYS.find((own) => own.gatewayId === gatewayId)?.machines ?? 0;
  const running = { statusAt: expect.any(String), contact: expect.objectContaining({ state: 'live' }) };
  return Array.from({ length: machines }, (_, index) => {
    return expect.objectContaining({ gatewayId, machineId: `RF-0${index + 1}`, ...running });
  });
}

it('D-101 npm run demo:central has living machines of three gateways, their history in SQL, and leaves nothing behind', {
  timeout: 600_000,
}, async () => {
  const before = leftovers();
  const { child, said } = startDemo();
  await expect.poll(said, WITHIN).toContain('Ctrl-C ends all of it');
  const [, url = '', name = '', password = ''] = /(http\S+)\/#(\w+):(\w+)/.exec(said()) ?? [];
  const session = await fetch(`${url}/api/local/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const ask = async (place: string) => (await fetch(`${url}/api/local${place}`, { headers: { cookie } })).json();
  await expect
    .poll(() => ask('/gateways'), WITHIN)
    .toEqual([
      expect.objectContaining({ gatewayId: 'north-1', principal: 'plant-north', plantId: 'default', refused: [] }),
      expect.objectContaining({ gatewayId: 'north-2', principal: 'plant-north', refused: [] }),
      expect.objectContaining({ gatewayId: 'south-1', principal: 'plant-south', plantId: 'south', refused: [] }),
    ]);
  for (const { gatewayId } of DEMO_GATEWAYS) {
    await expect.poll(() => ask(`/gateways/${gatewayId}/machines`), WITHIN).toEqual(machinesOf(gatewayId));
  }
  await expect.poll(said, WITHIN).toContain('Alerts about the gateways are on');
  const troubles = async () => {
    const gateways = (await ask('/gateways')) as readonly GatewayView[];
    return gateways.flatMap(({ gatewayId, troubles: own }) => own.map(({ kind }) => `${gatewayId} ${kind}`));
  };
  // The history may still be on its way.
  expect((await troubles()).filter((one) => !one.endsWith(' queue'))).toEqual([]);
  expect(await ask('/alerts?state=open')).toEqual([]);
  await checkHistory(/postgres:\/\/\S+/.exec(said())?.[0] ?? '');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(said()).toMatch(/demo ended, its data is removed\n$/);
  expect(isAlive(child)).toBe(false);
  expect(leftovers()).toEqual(before);
});

/** Each gateway has forwarded five weeks of production, stops and variables. */
async function checkHistory(url: string): Promise<void> {
  const reader = new pg.Client(url);
  await reader.connect();
  onTestFinished(() => reader.end());
  // The server ends the connection when the demo ends.
  reader.on('error', () => undefined);
  const days = (text: string) => async () => {
    const { rows } = await reader.query<{ gateway: string; days: number }>(text);
    return rows.map(({ gateway, days: own }) => [gateway, own >= 30]);
  };
  const complete = DEMO_GATEWAYS.map(({ gatewayId }) => [gatewayId, true]);
  const span = (column: string) => `(max(${column})::date - min(${column})::date) AS days`;
  for (const [view, column] of [
    ['production', 'shift_date'],
    ['downtime', 'started_at'],
    ['point', 'time'],
  ] as const) {
    const text = `SELECT gateway_id AS gateway, ${span(column)} FROM plantgate.${view} GROUP BY 1 ORDER BY 1`;
    await expect.poll(days(text), WITHIN).toEqual(complete);
  }
}
