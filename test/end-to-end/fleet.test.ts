import { afterEach, expect, it, vi } from 'vitest';
import type { TimeSlicer } from './pace.ts';
import { type Json, PLANT, Program, statusOf } from './program.ts';

/** Programs start slowly while other tests run beside them. */
vi.setConfig({ testTimeout: 120_000 });

const PACE: TimeSlicer = { times: 8, fromWallMs: Date.now() };
const KEY = 'line-3-key-0123456789';
/** A minute of the programs' time, and what the two need beside it. */
const WITHIN = { timeout: 30_000 };

const programs: Program[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) await program.end();
});

async function start(settings: string, plant: string, dir?: string): Promise<Program> {
  const program = await Program.start({ settings, plant, atHand: true, pace: PACE, ...(dir !== undefined && { dir }) });
  programs.push(program);
  return program;
}

it('D-97 a killed gateway is silent within a minute, its central server remembers it, and it comes back', async () => {
  const plantOfCentral = PLANT.replace(
    /^apiKeys:.*$/m,
    `apiKeys: [ { principal: line-3, key: ${KEY}, role: gateway } ]`,
  );
  const central = await start('gatewayId: central\n', plantOfCentral);
  const upstream = `upstream: { url: "http://127.0.0.1:${central.httpPort}/", apiKey: ${KEY} }\ngatewayId: line-3\n`;
  const gateway = await start(upstream, PLANT);
  const shown = async (at: Program): Promise<Json> => (await at.api('GET', '/gateways')).body[0] ?? {};
  await gateway.device('status', statusOf());
  await expect
    .poll(() => shown(central), WITHIN)
    .toMatchObject({
      gatewayId: 'line-3',
      contact: { state: 'live', since: null },
      health: {
        machines: 2,
        queue: { records: expect.any(Number) },
        disk: { freePercent: expect.any(Number), leastPercent: 10 },
        backup: { newestAt: null },
        clock: { aheadMs: expect.any(Number) },
        needs: [{ machineId: 'RF-01', need: 'held' }],
      },
      troubles: [{ kind: 'backup' }],
    });
  // Both programs share one clock, and its time is eight times as fast.
  expect(Math.abs((await shown(central)).health.clock.aheadMs)).toBeLessThan(5_000);
  const killedAt = performance.now();
  await gateway.kill();
  const silent = {
    contact: { state: 'silent', since: expect.any(String) },
    troubles: [{ kind: 'silent' }, { kind: 'backup' }],
  };
  await expect.poll(() => shown(central), WITHIN).toMatchObject(silent);
  const afterMs = (performance.now() - killedAt) * PACE.times;
  expect(afterMs).toBeGreaterThan(50_000);
  expect(afterMs).toBeLessThan(80_000);
  console.log(`a killed gateway is silent after ${Math.round(afterMs / 1_000)} s of its time`);
  const incidents = async () => JSON.stringify((await central.api('GET', '/diagnostics')).body.sendingGateway);
  await expect.poll(incidents, WITHIN).toContain('Gateway line-3 has not been heard for');
  const metrics = async () => (await central.get('/metrics')).text;
  await expect.poll(metrics, WITHIN).toContain('plantgate_received_trouble{gateway="line-3",kind="silent"} 1');
  const { since } = (await shown(central)).contact;
  await central.kill();
  const again = await start('gatewayId: central\n', plantOfCentral, central.dir);
  expect((await shown(again)).contact).toEqual({ state: 'awaited', since: null });
  await expect
    .poll(() => shown(again), WITHIN)
    .toMatchObject({ contact: { state: 'silent' }, health: { machines: 2 } });
  expect(Math.abs(Date.parse((await shown(again)).contact.since) - Date.parse(since))).toBeLessThan(20_000);
});
