import { createSocket } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { addressesOf, askNetwork } from '../../../src/adapters/discovery/ask-network.ts';
import { Discovery } from '../../../src/adapters/discovery/discovery.ts';
import {
  type AskedQuestion,
  MDNS_GROUP,
  readMessage,
  responseBytes,
} from '../../../src/adapters/discovery/mdns-message.ts';
import { networkOf, ownNetworks } from '../../../src/adapters/discovery/own-networks.ts';
import type { DiscoveryThreadOptions } from '../../../src/adapters/discovery/run-discovery-thread.ts';
import type { Incident } from '../../../src/flows/ports.ts';
import { DISCOVERY_THREAD_FILE } from '../../bundle-program.ts';

/** A port only for tests, because another program may answer on 5353. */
const PORT = 22_353;
const PATIENCE = { timeout: 15_000, interval: 50 };
const asking = { port: PORT, networks: ownNetworks(true), timeoutMs: 400 };

const open: Discovery[] = [];
afterEach(async () => {
  for (const discovery of open.splice(0)) await discovery.close();
});

function announce(more: Partial<DiscoveryThreadOptions> = {}, threadEntry: URL | string = DISCOVERY_THREAD_FILE) {
  const incidents: Incident[] = [];
  const names: unknown[] = [];
  const note = (fields: Readonly<Record<string, unknown>>) => names.push(fields.name);
  const log = { debug: note, info: note, warn: note, error: note };
  const services = [
    { type: '_http', port: 8080, host: '0.0.0.0' },
    { type: '_mqtt', port: 1883, host: '127.0.0.1' },
    { type: '_secure-mqtt', port: 8883, host: '10.99.0.1' },
  ];
  const plain = { name: 'plantgate', instance: 'plantgate line.3', version: '0.1.0', port: PORT, onLoopback: true };
  const report = (incident: Incident) => void incidents.push(incident);
  const discovery = new Discovery({ ...plain, services, ...more, threadEntry, incidents: { report }, log });
  open.push(discovery);
  return { discovery, incidents, names };
}

const ask = (type: AskedQuestion['type'], name: string) => askNetwork({ name, type }, asking);

/** Forgets the name at once (RFC 6762, 10.1). */
const GOODBYE = expect.objectContaining({ name: 'plantgate.local', type: 'A', ttl: 0 });

/** Hears all answers on the network. */
async function listen() {
  const heard: unknown[] = [];
  const listener = createSocket({ type: 'udp4', reuseAddr: true });
  listener.on('message', (bytes) => heard.push(...(readMessage(bytes)?.answers ?? [])));
  await new Promise<void>((resolve) => listener.bind(PORT, resolve));
  listener.addMembership(MDNS_GROUP, '127.0.0.1');
  return { heard, listener };
}

/** A message of another computer on the network. */
async function say(name: string, address: string): Promise<void> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  socket.setMulticastInterface('127.0.0.1');
  const bytes = responseBytes([{ name, type: 'A', ttl: 120, flush: true, data: address }]);
  await new Promise((resolve) => socket.send(bytes, PORT, MDNS_GROUP, resolve));
  socket.close();
}

it('the gateway is found by its name and by its services, each where it listens', async () => {
  const { names } = announce();
  await vi.waitFor(() => expect(names).toEqual(['plantgate.local']), PATIENCE);
  expect(await addressesOf('PlantGate.local', asking)).toEqual(['127.0.0.1']);

  const instance = 'plantgate line-3._mqtt._tcp.local';
  expect(await ask('PTR', '_mqtt._tcp.local')).toMatchObject([{ data: instance }]);
  expect(await ask('SRV', instance)).toMatchObject([{ data: { port: 1883, target: 'plantgate.local' } }]);
  expect(await ask('PTR', '_http._tcp.local')).toHaveLength(1);
  expect(await ask('PTR', '_services._dns-sd._udp.local')).toHaveLength(2);
  // The TLS port listens on another network.
  expect(await ask('PTR', '_secure-mqtt._tcp.local')).toEqual([]);
  // A resolver need not wait for an IPv6 address.
  expect(await ask('AAAA', 'plantgate.local')).toMatchObject([{ type: 'NSEC', ttl: 10, flush: false }]);
  expect(await ask('ANY', 'plantgate.local')).toHaveLength(2);
  expect(await ask('A', 'another.local')).toEqual([]);
});

it('the gateway says goodbye, and is not found any more', async () => {
  const { discovery, names } = announce();
  await vi.waitFor(() => expect(names).toHaveLength(1), PATIENCE);
  const { heard, listener } = await listen();
  await discovery.close();
  await vi.waitFor(() => expect(heard).toContainEqual(GOODBYE), PATIENCE);
  listener.close();
  expect(await addressesOf('plantgate.local', asking)).toEqual([]);
});

it('discovery leaves the name to a computer with a lower address, and keeps it from one with a higher', async () => {
  const { names } = announce();
  await vi.waitFor(() => expect(names).toEqual(['plantgate.local']), PATIENCE);
  await say('plantgate.local', '192.168.1.7');
  await delay(500);
  expect(await addressesOf('plantgate.local', asking)).toEqual(['127.0.0.1']);
  await vi.waitFor(async () => {
    // It answers too when the gateway asks for the name again.
    await say('plantgate.local', '10.0.0.7');
    expect(names).toEqual(['plantgate.local', 'plantgate-2.local']);
  }, PATIENCE);
  expect(await addressesOf('plantgate-2.local', asking)).toEqual(['127.0.0.1']);
  expect(await addressesOf('plantgate.local', asking)).toEqual([]);
});

it('discovery asks before it takes a name: a taken name stays with its owner', async () => {
  const { names } = announce({ name: 'press' });
  await vi.waitFor(async () => {
    await say('press.local', '192.168.1.7');
    expect(names).toEqual(['press-2.local']);
  }, PATIENCE);
});

it('discovery survives malformed bytes on its port', async () => {
  const { incidents, names } = announce();
  await vi.waitFor(() => expect(names).toHaveLength(1), PATIENCE);
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  socket.setMulticastInterface('127.0.0.1');
  const loop = Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 0x0c, 0, 1, 0, 1]);
  const many = Buffer.concat([Buffer.from([0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), Buffer.alloc(1_000, 1)]);
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(3), loop, many]) socket.send(bytes, PORT, MDNS_GROUP);
  await delay(200);
  socket.close();
  expect(await addressesOf('plantgate.local', asking)).toEqual(['127.0.0.1']);
  expect(incidents).toEqual([]);
});

it('discovery reports a thread that dies, and starts another one', async () => {
  const { incidents } = announce({}, new URL('data:text/javascript,throw new Error("no such network")'));
  await vi.waitFor(() => expect(incidents.length).toBeGreaterThanOrEqual(2), PATIENCE);
  expect(incidents[0]).toEqual({ kind: 'discovery', subject: 'plantgate.local', detail: 'no such network' });
});

it('the address of a question from beyond a router is in none of the networks of this computer', () => {
  const networks = [
    { address: '192.168.1.2', netmask: '255.255.255.0' },
    { address: '10.1.2.3', netmask: '255.0.0.0' },
  ];
  expect(networkOf('192.168.1.77', networks)).toBe(networks[0]);
  expect(networkOf('10.200.0.1', networks)).toBe(networks[1]);
  expect(networkOf('192.168.2.77', networks)).toBeNull();
});
