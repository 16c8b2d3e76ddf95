import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const ask = (method: string, body?: object) => gateway.as(keyOf('admin'), method, '/api/local/log-level', body);

describe('the log level', () => {
  it('is chosen while the gateway runs, and the audit says by whom and what it was before', async () => {
    expect((await ask('GET')).body).toEqual({ level: 'silent' });
    expect(await ask('PUT', { level: 'debug' })).toMatchObject({ status: 200, body: { level: 'debug' } });
    expect((await ask('GET')).body).toEqual({ level: 'debug' });
    const said = { who: 'admin-principal', subject: 'debug', before: '{"level":"silent"}', after: '{"level":"debug"}' };
    const { body } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?q=chooseLogLevel');
    expect(body).toMatchObject({ entries: [said] });
  });

  it.each([{ level: 'loud' }, { level: null }, {}, { level: 'info', for: '1h' }])('%j is refused', async (body) => {
    expect((await ask('PUT', body)).status).toBe(400);
    expect((await ask('GET')).body).toEqual({ level: 'debug' });
  });
});
