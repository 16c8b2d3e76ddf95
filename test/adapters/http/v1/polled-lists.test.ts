import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway } from '../gateway-under-test.ts';

const PATH = '/api/v1/catalogs';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
  for (let at = 100; at < 160; at++) await add(at);
});
afterAll(() => gateway.close());

async function add(catalogId: number): Promise<void> {
  const catalog = { catalogId, name: `Catalog ${catalogId}` };
  expect((await gateway.as(keyOf('supervisor'), 'POST', '/api/local/plant/catalogs', catalog)).status).toBe(201);
}

/** The answer as it comes over the line. */
async function poll(role: string, headers: Readonly<Record<string, string>> = {}, path = PATH) {
  const authorization = `ApiKey ${keyOf(role)}`;
  const answer = await request(`${gateway.url}${path}`, { headers: { authorization, ...headers } });
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
}

describe('D-99 UP-07 a list that a gateway polls', () => {
  it('is compressed for a gateway that takes that, and is not sent again while it is unchanged', async () => {
    const plain = await poll('gateway');
    const packed = await poll('gateway', { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
    const { etag } = packed.headers;
    expect(etag).toBe(plain.headers.etag);
    const same = await poll('gateway', { 'accept-encoding': 'gzip', 'if-none-match': String(etag) });
    expect(same).toMatchObject({ status: 304, bytes: Buffer.alloc(0) });
    expect(JSON.stringify(same.headers).length).toBeLessThan(300);
    await add(999);
    const changed = await poll('gateway', { 'accept-encoding': 'gzip', 'if-none-match': String(etag) });
    expect(changed.status).toBe(200);
    expect(gunzipSync(changed.bytes).toString()).toContain('Catalog 999');
    expect(changed.headers.etag).not.toBe(etag);
  });

  it.each([
    ['business', PATH],
    ['gateway', '/api/v1/warehouseTasks/reasonCodes'],
  ])('is plain for role %s at %s', async (role, path) => {
    const { status, headers, bytes } = await poll(role, { 'accept-encoding': 'gzip' }, path);
    expect(status).toBe(200);
    expect([headers.etag, headers['content-encoding']]).toEqual([undefined, undefined]);
    expect(headers['x-content-type-options']).toBe(role === 'gateway' ? undefined : 'nosniff');
    expect(() => JSON.parse(bytes.toString())).not.toThrow();
  });

  it('keeps the status and the words of a refusal', async () => {
    const { status, bytes } = await poll('gateway', { 'accept-encoding': 'gzip' }, '/api/v1/coils/none');
    expect(status).toBe(404);
    expect(bytes.toString()).toContain('none');
  });
});
