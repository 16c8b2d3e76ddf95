import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LIMITS as BROKER_LIMITS } from '../../../src/adapters/broker/limits.ts';
import { LIMITS as HTTP_LIMITS } from '../../../src/adapters/http/limits.ts';
import { OpenConnections } from '../../../src/runtime/network/open-connections.ts';

const BOUNDS = { connections: 6, connectionsPerAddress: 2 };
const LOOPBACK = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
const PROXY = '10.0.0.9';
const PLANT = ['10.0.0.7', 'fe80::7', '::ffff:10.0.0.8', undefined];

function socketOf(remoteAddress: string | undefined): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
}

const closed = async (socket: Socket) => {
  const close = once(socket, 'close');
  socket.destroy();
  await close;
};

it('a connection beyond the bound in all is closed and reported, and has room once another one has closed', async () => {
  const told: string[] = [];
  const open = new OpenConnections({ ...BOUNDS, connections: 2 }, (...full) => told.push(full.join(': ')));
  const server = createServer(open.admit).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await expect.poll(() => open.total).toBe(2);
  await once(connect(port, '127.0.0.1'), 'close');
  expect(told).toEqual(['127.0.0.1: 2 connections from there, 2 in all']);
  clients[0]?.destroy();
  await expect.poll(() => open.total).toBe(1);
  connect(port, '127.0.0.1');
  await expect.poll(() => open.total).toBe(2);
  open.cutAll();
  await expect.poll(() => open.total).toBe(0);
  server.close();
});

it('no address but those of this computer and of a proxy has more connections than the bound, whatever comes and goes', async () => {
  const step = fc.record({ address: fc.constantFrom(...LOOPBACK, ...PLANT, PROXY), leaves: fc.nat() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const open = new OpenConnections(
        BOUNDS,
        () => undefined,
        (address) => address === PROXY,
      );
      let admitted: Socket[] = [];
      const from = (address: string | undefined) => admitted.filter(({ remoteAddress }) => remoteAddress === address);
      for (const { address, leaves } of steps) {
        const mayCome =
          admitted.length < BOUNDS.connections &&
          ([...LOOPBACK, PROXY].includes(String(address)) || from(address).length < BOUNDS.connectionsPerAddress);
        const socket = socketOf(address);
        expect(open.admit(socket)).toBe(mayCome);
        expect(socket.destroyed).toBe(!mayCome);
        if (mayCome) admitted.push(socket);
        const leaving = leaves % 3 === 0 ? admitted[leaves % admitted.length] : undefined;
        if (leaving !== undefined) await closed(leaving);
        admitted = admitted.filter((one) => one !== leaving);
        expect(open.total).toBe(admitted.length);
      }
      await Promise.all(admitted.map(closed));
      expect(open.total).toBe(0);
    }),
  );
});

it('one address cannot take all connections of the broker or of the page', () => {
  expect(BROKER_LIMITS.connectionsPerAddress).toBeLessThan(BROKER_LIMITS.connections);
  expect(HTTP_LIMITS.connectionsPerAddress).toBeLessThan(HTTP_LIMITS.connections);
});
