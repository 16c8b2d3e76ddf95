import dns from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { HttpCentralServer } from '../../../src/adapters/central/http-central-server.ts';
import { type CentralManner, CentralServer } from '../../fakes/central-server.ts';

const MOVE = {
  method: 'POST',
  path: '/api/v1/coils/C-1/location',
  body: '{"location":"WH-A2"}',
  operationId: 'op-1',
} as const;

type LookUp = (name: string, options: object, done: (error: null, found: readonly dns.LookupAddress[]) => void) => void;

let central: CentralServer;
let server: HttpCentralServer;

beforeEach(async () => {
  central = new CentralServer();
  central.plant.coils.set('C-1', { coilId: 'C-1', location: 'WH-A1' });
  await central.start();
  server = new HttpCentralServer({ url: central.url, apiKey: central.apiKey, timeoutMs: 200 });
});

afterEach(async () => {
  await server.close();
  await central.stop();
});

describe('requests to the central server', () => {
  it.each<readonly [CentralManner, object, string]>([
    ['works', { kind: 'answered', status: 200, extent: 'whole' }, 'WH-A2'],
    ['rejects', { kind: 'answered', status: 400, extent: 'whole' }, 'WH-A1'],
    ['doesThenFails', { kind: 'answered', status: 500 }, 'WH-A2'],
    ['cuts', { kind: 'unanswered', detail: 'other side closed (UND_ERR_SOCKET)' }, 'WH-A1'],
    ['doesThenCuts', { kind: 'unanswered', detail: 'other side closed (UND_ERR_SOCKET)' }, 'WH-A2'],
    ['doesThenTruncates', { kind: 'answered', status: 200, extent: 'cutOff' }, 'WH-A2'],
    ['doesThenHangs', { kind: 'unanswered', detail: 'no answer within 200 ms' }, 'WH-A2'],
  ])('UP-02 UP-03 recognise a server that %s', async (manner, answer, location) => {
    central.next.push(manner);
    expect(await server.ask(MOVE)).toMatchObject(answer);
    expect(central.plant.coils.get('C-1')?.location).toBe(location);
    expect(central.writes.map(({ operationId }) => operationId)).toEqual(['op-1']);
  });

  it('UP-02 are not sent while the server is down, and are answered when it is back', async () => {
    await server.ask(MOVE);
    await central.stop();
    expect(['unsent', 'unanswered']).toContain((await server.ask(MOVE)).kind);
    expect(await server.ask(MOVE)).toMatchObject({ kind: 'unsent', detail: expect.stringContaining('ECONNREFUSED') });
    await central.start();
    expect(await server.ask(MOVE)).toMatchObject({ kind: 'answered', status: 200 });
  });

  it('D-58 name each address of a server whose name has several', async () => {
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    // The type of a spy knows only the last of the overloads of lookup, which has no callback with all addresses.
    const lookup = vi.spyOn(dns, 'lookup') as unknown as MockInstance<LookUp>;
    lookup.mockImplementation((_, __, done) => done(null, addresses));
    onTestFinished(() => lookup.mockRestore());
    const named = new HttpCentralServer({ url: 'http://central.example:1/', apiKey: 'key', timeoutMs: 2_000 });
    onTestFinished(() => named.close());
    const detail = 'connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.2:1';
    expect(await named.ask(MOVE)).toEqual({ kind: 'unsent', detail });
  });

  it('UP-02 go over a new connection after one connection fell silent and one request timed out', async () => {
    central.next.push('hangs');
    expect(await server.ask(MOVE)).toMatchObject({ kind: 'unanswered' });
    expect(await server.ask(MOVE)).toMatchObject({ kind: 'answered', status: 200 });
  });

  it('read an answer only up to their bound', async () => {
    central.plant.coils.set('C-2', { coilId: 'C-2', location: 'x'.repeat(10_000) });
    const answer = await server.ask({ method: 'GET', path: '/api/v1/coils/C-2', maxAnswerBytes: 1_000 });
    expect(answer).toMatchObject({ kind: 'answered', status: 200, extent: 'tooLong' });
  });

  it.each([
    ['gzip', gzipSync('x'.repeat(5_000)), { extent: 'whole', bytes: Buffer.from('x'.repeat(5_000)) }],
    ['gzip that is cut off', gzipSync('x'.repeat(5_000)).subarray(0, 20), { extent: 'cutOff' }],
    ['no gzip at all', Buffer.from('[]'), { extent: 'cutOff' }],
    ['gzip of more than the bound', gzipSync('x'.repeat(10_001)), { extent: 'tooLong', bytes: Buffer.alloc(0) }],
  ])('D-99 unpack an answer up to their bound: %s', async (_, sent, expected) => {
    const packing = createServer(({ headers }, response) => {
      expect(headers['accept-encoding']).toBe('gzip');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(sent);
    });
    await new Promise<void>((resolve) => packing.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void packing.close());
    const { port } = packing.address() as AddressInfo;
    const other = new HttpCentralServer({ url: `http://127.0.0.1:${port}/`, apiKey: 'x', timeoutMs: 5_000 });
    onTestFinished(() => other.close());
    const answer = await other.ask({ method: 'GET', path: '/', maxAnswerBytes: 10_000 });
    expect(answer).toMatchObject({ kind: 'answered', status: 200, ...expected });
  });

  it('keep an answer in tiny chunks in no more memory than its bytes', async () => {
    const tiny = createServer((_, response) => {
      for (let chunk = 0; chunk < 20_000; chunk++) response.write('x');
      response.end();
    });
    await new Promise<void>((resolve) => tiny.listen(0, '127.0.0.1', resolve));
    const { port } = tiny.address() as AddressInfo;
    const other = new HttpCentralServer({ url: `http://127.0.0.1:${port}/`, apiKey: 'x', timeoutMs: 5_000 });
    const answer = await other.ask({ method: 'GET', path: '/' });
    expect(answer).toMatchObject({ kind: 'answered', extent: 'whole', bytes: Buffer.from('x'.repeat(20_000)) });
    await other.close();
    tiny.close();
  });

  it.each([
    ['a body of 16 KiB gets a second more', 16_384, { kind: 'answered', status: 200 }],
    ['a shorter body gets no more', 16_383, { kind: 'unanswered', detail: 'no answer within 200 ms' }],
  ])('D-27 have a time limit that grows with their body: %s', async (_, bytes, answer) => {
    central.delayMs = 400;
    const body = `{"location":"${'x'.repeat(bytes - 15)}"}`;
    expect(await server.ask({ ...MOVE, body })).toMatchObject(answer);
  });

  it('keep the path of a base address', async () => {
    const nested = new HttpCentralServer({ url: `${central.url}central/`, apiKey: central.apiKey, timeoutMs: 200 });
    await nested.ask({ method: 'GET', path: '/api/v1/coils' });
    await nested.close();
    expect(central.requests.at(-1)?.path).toBe('/central/api/v1/coils');
  });
});
