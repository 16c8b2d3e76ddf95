import { expect, it } from 'vitest';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { EMPTY_BATCH, packed } from '../fakes/batch-sender.ts';
import { PLANT, Program } from './program.ts';

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
}, 60_000);
