import { expect, it } from 'vitest';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { EMPTY_BATCH, packed } from '../fakes/batch-sender.ts';
import { HEALTHY } from '../fakes/gateway-health.ts';
import { type Json, PLANT, Program } from './program.ts';

const KEY = 'line-key-01234567890';

it('D-100 a central server whose database is away or hangs says so, refuses batches to be sent again, and goes on by itself', async () => {
  const database = await LocalPostgres.start({ isDurable: true });
  const settings = `storage: { postgres: { url: "${database.url()}" } }\n`;
  const plant = `${PLANT.replace('apiKeys: [', `apiKeys: [ { principal: line, key: ${KEY}, role: gateway },`)}`;
  const program = await Program.start({ plant, settings, atHand: true });
  try {
    const origin = `http://127.0.0.1:${program.httpPort}`;
    const ready = async () => (await fetch(`${origin}/readyz`)).json();
    const send = async () => {
      const headers = { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' };
      const answer = await fetch(`${origin}/api/v1/sync`, { method: 'POST', headers, body: packed(EMPTY_BATCH).json });
      const retryAfter = Number(answer.headers.get('retry-after'));
      return { status: answer.status, text: await answer.text(), retryAfter };
    };
    expect(await ready()).toEqual({ ready: true, reasons: [] });
    await database.stop('immediate');
    await expect.poll(ready).toMatchObject({
      ready: false,
      reasons: [expect.stringContaining('store: failing: PostgreSQL: the database cannot be used at the moment')],
    });
    const refused = [await send(), await send(), await send(), await send(), await send(), await send()];
    for (const { status, text, retryAfter } of refused) {
      expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining('the database cannot be used') });
      expect(retryAfter).toBeGreaterThanOrEqual(2);
      expect(retryAfter).toBeLessThanOrEqual(10);
    }
    // Gateways that are put off together do not come back together.
    expect(new Set(refused.map(({ retryAfter }) => retryAfter)).size).toBeGreaterThan(1);
    const gateways = await program.api('GET', '/gateways');
    expect(gateways.status).toBe(503);
    await database.start();
    await expect.poll(ready).toEqual({ ready: true, reasons: [] });
    expect((await send()).status).toBe(200);
    await database.freeze();
    await expect.poll(ready).toMatchObject({ ready: false, reasons: [expect.stringContaining('PostgreSQL')] });
    const hanging = program.api('GET', '/gateways');
    expect((await hanging).status).toBe(503);
    await database.thaw();
    await expect.poll(ready).toEqual({ ready: true, reasons: [] });
    await expect.poll(async () => (await program.api('GET', '/gateways')).status).toBe(200);
  } finally {
    await program.kill();
    program.cleanUp();
    await database.end();
  }
}, 120_000);

it('D-103 D-89 a node whose clock is wrong says so of itself, and blames no gateway', async () => {
  const database = await LocalPostgres.start({ isDurable: true });
  const settings = `storage: { postgres: { url: "${database.url()}", maxConnections: 4 } }\n`;
  const plant = `${PLANT.replace('apiKeys: [', `apiKeys: [ { principal: line, key: ${KEY}, role: gateway },`)}`;
  const nodes: Program[] = [];
  try {
    for (const own of [plant, '{}']) nodes.push(await Program.start({ plant: own, settings, atHand: true }));
    const [right, wrong] = nodes as [Program, Program];
    await wrong.ask({ kind: 'setWallClock', wallMs: Date.now() + 600_000 });
    const send = async ({ httpPort }: Program, place: string, body: unknown): Promise<Json> => {
      const headers = { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' };
      const address = `http://127.0.0.1:${httpPort}/api/v1/${place}`;
      return (await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    const { gatewayId, stream } = EMPTY_BATCH;
    const report = (node: Program, exchange: object | null) =>
      send(node, 'sync/health', { gatewayId, stream, health: { ...HEALTHY, version: '99.0.0', exchange } });
    const gatewayAt = async (node: Program) => (await node.api('GET', '/gateways')).body[0];
    // One node alone hears it.
    await send(right, 'sync', EMPTY_BATCH);
    await expect.poll(async () => (await report(right, null)).isKept, { timeout: 10_000 }).toBe(true);
    await expect.poll(async () => (await gatewayAt(wrong))?.health?.version, { timeout: 15_000 }).toBe('99.0.0');
    expect(await gatewayAt(wrong)).toMatchObject({ contact: { state: 'live' }, troubles: [] });
    // Then the other one does, and tells it its time.
    await expect.poll(async () => (await report(wrong, null)).isKept, { timeout: 10_000 }).toBe(true);
    const sentAt = Date.now();
    const { receivedAt } = await report(wrong, null);
    expect(Math.abs(receivedAt - sentAt)).toBeLessThan(2_000);
    await report(wrong, { sentAt, roundTripMs: Date.now() - sentAt, receivedAt: receivedAt });
    for (const node of nodes) {
      await expect.poll(async () => (await gatewayAt(node)).health.clock, { timeout: 15_000 }).not.toBe(null);
      expect(await gatewayAt(node)).toMatchObject({ contact: { state: 'live' }, troubles: [] });
    }
    const ready = async ({ httpPort }: Program) => (await fetch(`http://127.0.0.1:${httpPort}/readyz`)).json();
    const warnings = [expect.stringMatching(/^clock: found (600|599) s ahead of the database, expected at most 5 s/)];
    expect(await ready(wrong)).toEqual({ ready: true, reasons: [], warnings });
    expect((await wrong.api('GET', '/system')).body.disk.risks).toEqual(warnings);
    expect(await ready(right)).toEqual({ ready: true, reasons: [] });
    expect((await right.api('GET', '/system')).body.disk.risks).toEqual([]);
    await wrong.ask({ kind: 'setWallClock', wallMs: Date.now() });
    await expect.poll(() => ready(wrong)).toEqual({ ready: true, reasons: [] });
  } finally {
    for (const node of nodes) {
      await node.kill();
      node.cleanUp();
    }
    await database.end();
  }
}, 120_000);
