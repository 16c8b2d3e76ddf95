import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../src/adapters/http/limits.ts';
import { RequestBodies } from '../../../../src/adapters/http/requests/request-bodies.ts';
import { IncidentLog } from '../../../../src/flows/local-api/incident-log.ts';
import { quietLog } from '../../store/open-test-store.ts';

const MAX_BYTES = LIMITS.orderBodyBytes;
const BODY_BYTES = 60_000;
const BODIES_AT_THE_BOUND = Math.floor(LIMITS.unfinishedBodyBytes / BODY_BYTES);

let incidents: IncidentLog;
let server: Server;
const sockets: Socket[] = [];

beforeEach(async () => {
  incidents = new IncidentLog({ now: () => ({ monotonicMs: 0, wallMs: 0 }) }, quietLog);
  const bodies = new RequestBodies(incidents);
  server = createServer((request, response) =>
    bodies.readBytes(request, MAX_BYTES, (body) => {
      response.end(body.ok ? `${body.bytes?.length ?? 0} ${body.bytes?.toString('latin1', 0, 100)}` : body.error.code);
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function begin(text: string, length: number): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.setNoDelay(true);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${text}`);
  return socket;
}

const unfinished = () => begin('x'.repeat(BODY_BYTES - 1), BODY_BYTES);

async function answerTo(socket: Socket): Promise<string> {
  const [bytes] = await once(socket, 'data');
  return String(bytes).split('\r\n\r\n')[1] ?? '';
}

const connections = () =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
const limitIncidents = () => incidents.entries('limitReached');

describe('D-25 incomplete bodies', () => {
  it('lose, at the bound, the connection whose body has not grown for the longest time, and diagnostics name it', async () => {
    const idle = await unfinished();
    const growing = await begin('y', BODY_BYTES);
    await Promise.all(Array.from({ length: BODIES_AT_THE_BOUND + 5 }, unfinished));
    await expect.poll(() => idle.destroyed).toBe(true);
    growing.write('y'.repeat(BODY_BYTES - 1));
    expect(await answerTo(growing)).toMatch(/^60000 yyy/);
    expect(limitIncidents()).toMatchObject([{ detail: expect.stringContaining('body was not complete') }]);
  });

  it('do not keep a device from its answer while they fill the bound', async () => {
    await Promise.all(Array.from({ length: BODIES_AT_THE_BOUND + 5 }, unfinished));
    const device = await begin('{"machineId":', 20);
    await expect.poll(() => limitIncidents().length).toBeGreaterThan(0);
    device.write('"RF-1"}');
    expect(await answerTo(device)).toBe('20 {"machineId":"RF-1"}');
  });

  it('give their memory back once they are complete, refused or given up', async () => {
    for (let round = 0; round < 3; round++) {
      const half = await Promise.all(Array.from({ length: BODIES_AT_THE_BOUND - 5 }, unfinished));
      for (const socket of half.splice(0, 50)) socket.write('z');
      for (const socket of half) socket.destroy();
      await expect.poll(connections).toBe(50 * (round + 1));
    }
    expect(limitIncidents()).toEqual([]);
  });

  it.each([
    ['tiny', 1, 5_000, 'cut off'],
    ['short', 100, 5_000, 'cut off'],
    ['tiny, but few', 1, 900, 'answered'],
    ['long', 300, 5_000, 'answered'],
  ])('are cut off if they come in chunks that would take long to read: %s', async (_, length, chunks, outcome) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    const ended = new Promise((resolve) => {
      socket.on('data', () => resolve('answered'));
      socket.on('close', () => resolve('cut off'));
    });
    const chunk = `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(chunks)}0\r\n\r\n`);
    expect(await ended).toBe(outcome);
    expect(limitIncidents().map(({ faults }) => faults[0]?.detail)).toEqual(
      outcome === 'answered' ? [] : [expect.stringContaining('its body came in tiny chunks')],
    );
  });

  it('are put together again from pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 400 }), { minLength: 1, maxLength: 8 }),
        async (pieces) => {
          const text = pieces.join('');
          const socket = await begin('', text.length);
          for (const piece of pieces) {
            socket.write(piece);
            await new Promise(setImmediate);
          }
          expect(await answerTo(socket)).toBe(`${text.length} ${text.slice(0, 100)}`);
          socket.destroy();
        },
      ),
      { numRuns: 50 },
    );
  });
});
