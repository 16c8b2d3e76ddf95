import { readFileSync } from 'node:fs';
import { type AddressInfo, connect as connectPlain, type Socket } from 'node:net';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { connect, createSecureContext, createServer, type Server, type TlsOptions } from 'node:tls';
import { afterEach, expect, it, vi } from 'vitest';
import { HANDSHAKE_SLICE_MS, Handshakes, HELLO_TIMEOUT_MS } from '../../../src/adapters/system/handshakes.ts';

const CROWD = 100;
/** The least time that a handshake takes here. */
const HANDSHAKE_MS = 1;
/**
 * A job that has begun when the slice of a turn is over is finished, and the end of a turn is known only within one
 * turn.
 */
const MAX_PER_TURN = (2 * HANDSHAKE_SLICE_MS) / HANDSHAKE_MS;

const pem = (name: string) => readFileSync(path.join(import.meta.dirname, '../broker/certificates', name));
const certificate = { cert: pem('server.pem'), key: pem('server.key') };
const cleanUps: (() => void)[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

interface Paced {
  readonly server: Server;
  readonly port: number;
  /** Handshakes begun in each turn of the event loop; each takes HANDSHAKE_MS. */
  readonly perTurn: number[];
}

/** A server whose handshakes take their turn. */
async function startPaced(more: TlsOptions = {}, helloTimeoutMs = HELLO_TIMEOUT_MS): Promise<Paced> {
  const perTurn = [0];
  const context = createSecureContext(certificate);
  const server = createServer({
    ...certificate,
    ...more,
    SNICallback: (_, callback) => {
      perTurn[perTurn.length - 1] = (perTurn.at(-1) ?? 0) + 1;
      const untilMs = performance.now() + HANDSHAKE_MS;
      while (performance.now() < untilMs);
      callback(null, context);
    },
  });
  new Handshakes(helloTimeoutMs).pace(server);
  let turn: NodeJS.Immediate | null = null;
  const next = () => {
    perTurn.push(0);
    turn = setImmediate(next);
  };
  next();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', CROWD, resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  cleanUps.push(() => {
    if (turn !== null) clearImmediate(turn);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, perTurn };
}

/** The first bytes of a client. */
function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({ read: () => undefined, write: (bytes: Buffer) => resolve(bytes) });
    connect({ socket: wire, servername: 'localhost' }).on('error', () => undefined);
  });
}

function plainClient(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connectPlain(port, '127.0.0.1', () => resolve(socket)).on('error', () => undefined);
    cleanUps.push(() => socket.destroy());
  });
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.resume().once('close', () => resolve());
  });
}

async function expectServed(port: number): Promise<void> {
  const options = { port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false };
  await new Promise<void>((resolve, reject) => {
    const socket = connect(options, () => resolve()).on('error', reject);
    cleanUps.push(() => socket.destroy());
  });
}

it.each([
  ['in one piece', 0],
  ['that begins with a piece of a record’s head', 3],
  ['in two pieces', 200],
])(
  'MQTT-11 many clients with a hello %s are served a few in each turn of the event loop, and all are served',
  async (_, firstBytes) => {
    const { port, perTurn } = await startPaced();
    const clients = await Promise.all(Array.from({ length: CROWD }, () => plainClient(port)));
    const hello = await clientHello();
    for (const client of clients) client.setNoDelay().write(hello.subarray(0, firstBytes));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const all = clients.map((client) => {
      const answer = new Promise((resolve) => client.once('data', resolve));
      client.write(hello.subarray(firstBytes));
      return answer;
    });
    await Promise.all(all);
    expect(perTurn.reduce((sum, count) => sum + count, 0)).toBe(CROWD);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(MAX_PER_TURN);
  },
);

it('MQTT-11 a hello in pieces is put together, and real clients come in', async () => {
  const { port } = await startPaced();
  const client = await plainClient(port);
  const hello = await clientHello();
  const answer = new Promise((resolve) => client.once('data', resolve));
  for (let at = 0; at < hello.length; at += 50) {
    client.write(hello.subarray(at, at + 50));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(await answer).toMatchObject({ 0: 0x16 });
  await Promise.all(Array.from({ length: 20 }, () => expectServed(port)));
});

it('MQTT-11 a connection that goes before its turn leaves nothing behind', async () => {
  const { port, server, perTurn } = await startPaced();
  const hello = await clientHello();
  const [ended, reset, vanished] = await Promise.all([plainClient(port), plainClient(port), plainClient(port)]);
  ended.end();
  reset.resetAndDestroy();
  vanished.write(hello);
  vanished.destroy();
  await closed(ended);
  await expectServed(port);
  const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  await expect.poll(connections).toBe(1);
  expect(perTurn.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2);
});

it('MQTT-11 a client that sends nothing is closed in time, and does not delay the others meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { port, server } = await startPaced();
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const silent = await plainClient(port);
  const gone = closed(await accepted);
  await expectServed(port);
  vi.advanceTimersByTime(HELLO_TIMEOUT_MS - 1);
  expect(silent.readyState).toBe('open');
  vi.advanceTimersByTime(1);
  await gone;
});

it('MQTT-11 a handshake that is begun and goes no further is ended in time', async () => {
  const { port } = await startPaced({ handshakeTimeout: 100 });
  const client = await plainClient(port);
  client.write(await clientHello());
  await closed(client);
});

it('MQTT-11 a client that has sent its hello may stay longer than the time for sending it', async () => {
  const { port } = await startPaced({}, 100);
  const options = { port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false };
  const client = connect(options);
  cleanUps.push(() => client.destroy());
  await new Promise((resolve) => client.once('secureConnect', resolve));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(client.readyState).toBe('open');
});

it('MQTT-11 a client that begins its hello and does not go on is closed in time', async () => {
  const { port, perTurn } = await startPaced({}, 100);
  const client = await plainClient(port);
  client.write((await clientHello()).subarray(0, 100));
  await closed(client);
  expect(perTurn.reduce((sum, count) => sum + count, 0)).toBe(0);
});

it('MQTT-11 bytes that are not a handshake are refused at once', async () => {
  const { port } = await startPaced();
  const client = await plainClient(port);
  client.write('GET / HTTP/1.1\r\n\r\n');
  await closed(client);
});
