import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

function get(path: string) {
  return gateway.as(keyOf('viewer'), 'GET', `/api/local${path}`);
}

describe('the gateway’s surroundings', () => {
  it('are in one answer: disk, clock, agent, broker, certificates', async () => {
    await gateway.postStatus(statusOf());
    const { body } = await get('/system');
    expect(body).toMatchObject({
      gatewayId: 'gate',
      uptimeSeconds: expect.any(Number),
      disk: { state: 'ok', freeBytes: expect.any(Number), databaseBytes: expect.any(Number) },
      clock: { timeZone: 'America/Chicago', shifts: [{ name: 'Day' }, { name: 'Night' }] },
      legacyAgent: { kind: 'none', lastAnswerAt: null, answeredInMs: null },
      broker: { connections: 0, inputsPerSecond: expect.any(Number) },
      certificates: [],
    });
  });

  it('include the growth of the queue, a sample a minute', async () => {
    expect((await get('/sync/history')).body).toEqual([]);
    await gateway.system.sample();
    expect((await get('/sync/history')).body).toEqual([{ at: expect.any(String), depth: 0, oldestAgeSeconds: 0 }]);
  });
});
