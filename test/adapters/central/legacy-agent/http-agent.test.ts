import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpAgent } from '../../../../src/adapters/central/legacy-agent/http-agent.ts';
import { LIMITS } from '../../../../src/adapters/central/limits.ts';
import { LegacyAgentServer, type Manner } from '../../../fakes/legacy-agent-server.ts';

const TIMEOUT_MS = 400;
const WRITE = { coilId: 'C-1', location: 'WH-A2', operationId: 'op-1' };

describe('an agent that speaks the contract', () => {
  let server: LegacyAgentServer;
  let agent: HttpAgent;

  beforeEach(async () => {
    server = new LegacyAgentServer({ 'C-1': 'WH-A1' });
    await server.start();
    agent = new HttpAgent({ url: `${server.url}/`, timeoutMs: TIMEOUT_MS });
  });

  afterEach(async () => {
    await agent.close();
    await server.stop();
  });

  it.each<readonly [Manner, object, string]>([
    ['works', { kind: 'applied' }, 'WH-A2'],
    ['rejects', { kind: 'rejected', message: 'coil C-1 is locked by the office' }, 'WH-A1'],
    ['fails', { kind: 'failed', detail: 'HTTP status 500' }, 'WH-A1'],
    ['doesThenFails', { kind: 'failed', detail: 'HTTP status 500' }, 'WH-A2'],
    ['cuts', { kind: 'unconfirmed', detail: 'other side closed (UND_ERR_SOCKET)' }, 'WH-A1'],
    ['doesThenCuts', { kind: 'unconfirmed', detail: 'other side closed (UND_ERR_SOCKET)' }, 'WH-A2'],
    ['hangs', { kind: 'unconfirmed', detail: 'no answer within 400 ms' }, 'WH-A1'],
    ['doesThenHangs', { kind: 'unconfirmed', detail: 'no answer within 400 ms' }, 'WH-A2'],
    ['doesLate', { kind: 'unconfirmed', detail: 'no answer within 400 ms' }, 'WH-A1'],
  ])('D-16 UP-04 gets one write and %s', async (manner, outcome, location) => {
    server.manner = manner;
    expect(await agent.move(WRITE)).toEqual(outcome);
    expect(server.locations.get('C-1')).toBe(location);
    expect(server.asked).toEqual([WRITE]);
  });

  it('UP-04 is offline if it does not run: nothing was sent', async () => {
    await server.stop();
    expect(await agent.move(WRITE)).toMatchObject({ kind: 'offline', detail: expect.stringContaining('ECONNREFUSED') });
    expect(await agent.locate('C-1')).toMatchObject({ kind: 'unreachable' });
  });

  it('D-16 gets each write once, also after it died with connections kept alive and came back', async () => {
    await agent.move(WRITE);
    await server.stop();
    await server.start();
    const outcome = await agent.move({ ...WRITE, operationId: 'op-2' });
    expect(['applied', 'unconfirmed']).toContain(outcome.kind);
    expect(server.asked.filter(({ operationId }) => operationId === 'op-2').length).toBe(
      outcome.kind === 'applied' ? 1 : 0,
    );
    expect(await agent.move({ ...WRITE, operationId: 'op-3' })).toEqual({ kind: 'applied' });
  });

  it('D-16 gives a coil’s location, or that it does not exist, or that it is unknown', async () => {
    expect(await agent.locate('C-1')).toEqual({ kind: 'at', location: 'WH-A1' });
    expect(await agent.locate('C-2')).toEqual({ kind: 'absent' });
    server.answersLooks = false;
    expect(await agent.locate('C-1')).toEqual({ kind: 'unreachable', detail: 'no answer within 400 ms' });
  });

  it.each(['a/b', 'a%2Fb', 'a b', 'Bünd 7?x=1#y', '卷-1'])('gets the id %s unchanged', async (coilId) => {
    server.locations.set(coilId, 'WH-A1');
    expect(await agent.move({ ...WRITE, coilId })).toEqual({ kind: 'applied' });
    expect(await agent.locate(coilId)).toEqual({ kind: 'at', location: 'WH-A2' });
  });

  it('takes more coils at once than there are connections, and no write waits longer than its time', async () => {
    const ids = Array.from({ length: LIMITS.agentConnections * 3 }, (_, index) => `C-${index}`);
    const outcomes = await Promise.all(ids.map((coilId) => agent.move({ ...WRITE, coilId, operationId: coilId })));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['applied']));
    server.manner = 'hangs';
    const startMs = performance.now();
    const hanging = await Promise.all(
      ids.map((coilId) => agent.move({ ...WRITE, coilId, operationId: `${coilId}-2` })),
    );
    expect(performance.now() - startMs).toBeLessThan(3 * TIMEOUT_MS);
    const kinds = hanging.map(({ kind }) => kind);
    const sent = kinds.filter((kind) => kind === 'unconfirmed').length;
    expect(sent).toBeGreaterThanOrEqual(LIMITS.agentConnections);
    expect(kinds.filter((kind) => kind === 'offline').length).toBe(ids.length - sent);
    // A request whose time ran out before a connection was free is not sent afterwards.
    await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS));
    expect(server.asked.length).toBe(ids.length + sent);
  });
});

describe('an agent that answers anything', () => {
  let server: Server;
  let agent: HttpAgent;
  const sockets: Socket[] = [];
  let requests = 0;

  async function answering(answer: (socket: Socket) => void): Promise<void> {
    requests = 0;
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        requests += 1;
        answer(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    agent = new HttpAgent({ url: `http://127.0.0.1:${address.port}`, timeoutMs: TIMEOUT_MS });
  }

  afterEach(async () => {
    await agent.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const json = (status: string, body: string) =>
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  it.each<readonly [string, string, string]>([
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', 'unconfirmed'],
    ['a redirect', 'HTTP/1.1 307 Temporary Redirect\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n', 'offline'],
    ['503', json('503 Service Unavailable', '{}'), 'failed'],
    ['502, of a proxy that lost it', json('502 Bad Gateway', '{}'), 'unconfirmed'],
    ['504, of a proxy that waited too long', json('504 Gateway Timeout', '{}'), 'unconfirmed'],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 'unconfirmed'],
    ['half an answer', 'HTTP/1.1 20', 'unconfirmed'],
    ['nothing but early hints', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'unconfirmed'],
    ['200 with a page of a login', json('200 OK', '<html>'), 'offline'],
    ['200 with a half page', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n<!DOCTYPE', 'offline'],
    ['200 without a body', json('200 OK', ''), 'applied'],
    ['200 with plain text', json('200 OK', 'done'), 'applied'],
    ['200 with an array', json('200 OK', '[1]'), 'applied'],
    ['200 with a body that never ends', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'applied'],
    ['a hint, then 200', `HTTP/1.1 103 Early Hints\r\n\r\n${json('200 OK', '{}')}`, 'applied'],
    ['401, about the key of the gateway', json('401 Unauthorized', '{}'), 'offline'],
    ['403, about the key of the gateway', json('403 Forbidden', '{}'), 'offline'],
    ['429', json('429 Too Many Requests', '{}'), 'offline'],
    ['400 without a message', json('400 Bad Request', '{}'), 'rejected'],
    ['404 with no JSON', json('404 Not Found', 'gone'), 'rejected'],
  ])('D-16 D-51 %s', async (_, answer, kind) => {
    await answering((socket) => socket.write(answer));
    expect((await agent.move(WRITE)).kind).toBe(kind);
    expect(requests).toBe(1);
  });

  it('has an answer read only up to the bound', async () => {
    await answering((socket) => {
      socket.write('HTTP/1.1 409 Conflict\r\ntransfer-encoding: chunked\r\n\r\n');
      const piece = Buffer.alloc(16_384, 'x');
      const pour = () => {
        while (!socket.destroyed && socket.write(Buffer.concat([Buffer.from('4000\r\n'), piece, Buffer.from('\r\n')])));
        if (!socket.destroyed) socket.once('drain', pour);
      };
      pour();
    });
    const begun = performance.now();
    expect(await agent.move(WRITE)).toEqual({
      kind: 'rejected',
      message: 'the legacy system refused it with HTTP status 409',
    });
    expect(performance.now() - begun).toBeLessThan(TIMEOUT_MS);
  });

  it('has its words passed on in one line of bounded length', async () => {
    const message = `locked\r\n\u0007by ${'x'.repeat(1_000)}`;
    await answering((socket) => socket.write(json('422 Unprocessable', JSON.stringify({ message }))));
    const outcome = await agent.move(WRITE);
    expect(outcome).toMatchObject({ kind: 'rejected', message: expect.stringMatching(/^locked by x+…$/) });
    expect(outcome.kind === 'rejected' && outcome.message.length).toBe(LIMITS.messageLength + 1);
  });

  it.each([
    ['another coil', '{"coilId":"C-2","location":"WH-A2"}'],
    ['no location', '{"coilId":"C-1"}'],
    ['an array', '[]'],
    ['no JSON', 'WH-A2'],
  ])('D-16 proves nothing about a coil by the answer %s', async (_, body) => {
    await answering((socket) => socket.write(json('200 OK', body)));
    expect((await agent.locate('C-1')).kind).toBe('unreachable');
  });

  it.each([
    ['', 'absent'],
    ['{"message":"no such coil"}', 'absent'],
    ['gone', 'absent'],
    ['<html>Not Found', 'unreachable'],
  ])('D-16 D-51 answers 404 with %j for a coil: %s', async (body, kind) => {
    await answering((socket) => socket.write(json('404 Not Found', body)));
    expect((await agent.locate('C-1')).kind).toBe(kind);
  });

  it('UP-04 is offline, in time, if its host accepts no connection', async () => {
    await answering(() => undefined);
    // An address of a network for documentation: packets go nowhere.
    const nowhere = new HttpAgent({ url: 'http://192.0.2.1:9', timeoutMs: TIMEOUT_MS });
    expect((await nowhere.move(WRITE)).kind).toBe('offline');
    await nowhere.close();
  });
});
