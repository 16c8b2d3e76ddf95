import { createSocket } from 'node:dgram';
import { afterEach, expect, it, vi } from 'vitest';
import { addressesOf } from '../../../src/adapters/discovery/ask-network.ts';
import { MDNS_GROUP, readMessage, responseBytes } from '../../../src/adapters/discovery/mdns-message.ts';
import type { OwnNetwork } from '../../../src/adapters/discovery/own-networks.ts';
import { Responder } from '../../../src/adapters/discovery/responder.ts';

/** A port only for this file: files of tests run side by side. */
const PORT = 22_354;
const PATIENCE = { timeout: 15_000, interval: 50 };
const NAME = 'plantgate.local';
const NEXT_NAME = 'plantgate-2.local';

const open: Responder[] = [];
afterEach(async () => {
  for (const responder of open.splice(0)) await responder.close();
});

/** All networks of these tests are parts of the loopback interface: each computer ignores those that it does not have. */
function network(address: string): OwnNetwork {
  return { address, netmask: '255.255.255.0' };
}

/** Each computer with containers has this address on a network of its own. */
const CONTAINERS = network('127.0.9.1');

/** A gateway on networks that the test may change. The last number of `randoms` is repeated. */
function gateway(networks: OwnNetwork[], randoms: readonly number[] = [0]) {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const [names, troubles]: [string[], string[]] = [[], []];
  const left = [...randoms];
  const responder = new Responder(
    { name: 'plantgate', instance: 'plantgate line.3', version: '0.1.0', services: [], port: PORT },
    {
      socket,
      networks: () => networks,
      random: () => (left.length > 1 ? left.shift() : left[0]) ?? 0,
      tell: (news) => void (news.kind === 'named' ? names.push(news.name) : troubles.push(news.detail)),
    },
  );
  open.push(responder);
  void responder.start();
  return { responder, socket, networks, names, troubles };
}

async function named(...networks: OwnNetwork[]) {
  const gate = gateway(networks);
  await vi.waitFor(() => expect(gate.names).toEqual([NAME]), PATIENCE);
  return gate;
}

/** The addresses that have the name for another computer of a network. */
const found = (address: string, name = NAME) =>
  addressesOf(name, { port: PORT, networks: [network(address)], timeoutMs: 300 });

/** The message of the computer with this address that a name is its own. */
function claimBytes(address: string, name: string): Buffer {
  return responseBytes([{ name, type: 'A', ttl: 120, flush: true, data: address }]);
}

async function claim(address: string): Promise<void> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  socket.setMulticastInterface(address);
  await new Promise((resolve) => socket.send(claimBytes(address, NAME), PORT, MDNS_GROUP, resolve));
  socket.close();
}

/** The computer with this address has every name that is asked for. */
async function ownerOfAllNames(address: string) {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(PORT, resolve));
  socket.addMembership(MDNS_GROUP, address);
  socket.setMulticastInterface(address);
  socket.on('message', (bytes) => {
    const message = readMessage(bytes);
    if (message === null || message.flag_qr) return;
    for (const { name } of message.questions ?? []) socket.send(claimBytes(address, name), PORT, MDNS_GROUP);
  });
  return socket;
}

it('an address that the other computer does not see does not decide who keeps the name', async () => {
  const { names } = await named(CONTAINERS, network('127.0.10.6'));
  await claim('127.0.10.7');
  expect(await found('127.0.10.77')).toEqual(['127.0.10.6']);
  await vi.waitFor(async () => {
    await claim('127.0.10.5');
    expect(names).toEqual([NAME, NEXT_NAME]);
  }, PATIENCE);
});

it.each([
  ['one network', [CONTAINERS, network('127.0.10.5')], [CONTAINERS, network('127.0.10.6')]],
  // Each has the lower address on one of them.
  ['two networks', [network('127.0.10.5'), network('127.0.11.6')], [network('127.0.10.6'), network('127.0.11.5')]],
])('of two gateways that share %s and start together exactly one keeps the name', async (_, first, second) => {
  const gates = [gateway(first, [0]), gateway(second, [0, 0.9])];
  await vi.waitFor(() => {
    expect(gates.map(({ names }) => names.at(-1)).toSorted()).toEqual([NEXT_NAME, NAME]);
  }, PATIENCE);
  expect(await found('127.0.10.77')).toHaveLength(1);
  expect(await found('127.0.10.77', NEXT_NAME)).toHaveLength(1);
});

it('a gateway waits a random time before it asks for the name', async () => {
  const [late, early] = [gateway([network('127.0.10.5')], [0.9]), gateway([network('127.0.10.6')], [0])];
  await vi.waitFor(() => expect([early.names, late.names]).toEqual([[NAME], [NEXT_NAME]]), PATIENCE);
});

it('a gateway asks on a network that appears later: its name stays with the owner there', async () => {
  const owner = await named(network('127.0.11.5'));
  const { networks, responder, names } = await named(network('127.0.10.6'));
  // The lower address would win, if it announced the name.
  networks.push(network('127.0.11.4'));
  responder.lookAround();
  await vi.waitFor(() => expect(names).toEqual([NAME, NEXT_NAME]), PATIENCE);
  expect(owner.names).toEqual([NAME]);
  expect(await found('127.0.11.77')).toEqual(['127.0.11.5']);
  expect(await found('127.0.10.77', NEXT_NAME)).toEqual(['127.0.10.6']);
});

it('a gateway answers on its networks while it asks on a network that appears later', async () => {
  const { networks, responder, names } = await named(network('127.0.10.6'));
  networks.push(network('127.0.11.4'));
  responder.lookAround();
  expect(await Promise.all([found('127.0.10.77'), found('127.0.11.77')])).toEqual([['127.0.10.6'], []]);
  await vi.waitFor(async () => expect(await found('127.0.11.77')).toEqual(['127.0.11.4']), PATIENCE);
  expect(names).toEqual([NAME]);
});

it('a gateway hears a network again whose interface was made anew', async () => {
  const { responder, socket, troubles } = await named(network('127.0.10.6'));
  // The new interface has the old address, and no members.
  socket.dropMembership(MDNS_GROUP, '127.0.10.6');
  responder.lookAround();
  expect(() => socket.addMembership(MDNS_GROUP, '127.0.10.6')).toThrow('EADDRINUSE');
  // Another computer may be there now, so that it asks first.
  expect(await found('127.0.10.77')).toEqual([]);
  await vi.waitFor(async () => expect(await found('127.0.10.77')).toEqual(['127.0.10.6']), PATIENCE);
  expect(troubles).toEqual([]);
});

it('a gateway leaves a network that is gone, and is found there when it comes back', async () => {
  const { networks, responder, socket, troubles } = await named(network('127.0.10.6'));
  networks.length = 0;
  responder.lookAround();
  expect(() => socket.dropMembership(MDNS_GROUP, '127.0.10.6')).toThrow('EADDRNOTAVAIL');
  networks.push(network('127.0.10.6'));
  responder.lookAround();
  await vi.waitFor(async () => expect(await found('127.0.10.77')).toEqual(['127.0.10.6']), PATIENCE);
  expect(troubles).toEqual([]);
});

it('a gateway whose names others have asks for them again, and takes one that is free', async () => {
  const owner = await ownerOfAllNames('127.0.10.4');
  const { responder, names, troubles } = gateway([network('127.0.10.6')]);
  await vi.waitFor(() => expect(troubles).toEqual(['others have the names plantgate to plantgate-9']), PATIENCE);
  owner.close();
  responder.lookAround();
  await vi.waitFor(() => expect(names).toEqual([NAME]), PATIENCE);
  expect(await found('127.0.10.77')).toEqual(['127.0.10.6']);
});

it('a gateway reports a network that it cannot leave', async () => {
  const { networks, responder, socket, troubles } = await named(network('127.0.10.6'));
  vi.spyOn(socket, 'dropMembership').mockImplementation(() => {
    throw Object.assign(new Error('dropMembership ENOBUFS'), { code: 'ENOBUFS' });
  });
  networks.length = 0;
  responder.lookAround();
  expect(troubles).toEqual(['127.0.10.6: dropMembership ENOBUFS']);
});
