import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { connectAsync } from 'mqtt';
import { describe, expect, it } from 'vitest';
import type { BrokerOptions } from '../../../src/adapters/broker/broker.ts';
import { filterCovers, topicMatches } from '../../../src/adapters/broker/mqtt/topic-filter.ts';
import { Handshakes } from '../../../src/adapters/system/handshakes.ts';
import type { MqttAccount } from '../../../src/domain/plant/plant.ts';
import { BrokerStage, knownMachine, ROOT } from './broker-under-test.ts';
import { connectOf } from './raw-client.ts';

const stage = new BrokerStage();

function account(name: string, more: Partial<MqttAccount> = {}): MqttAccount {
  return { name, clientId: null, read: [], write: [], machines: [], passwordHash: `secret of ${name}`, ...more };
}

const HISTORIAN = account('historian', { read: ['plant/#'] });
const DISPLAY = account('display', { clientId: 'wall-1', read: ['hall/%c/+'], write: ['hall/%c/seen'] });
const RELAY = account('relay', { read: ['#'], write: ['tools/%c/#'], machines: [knownMachine('RF-1')] });
const BY_CERTIFICATE = account('scanner', { passwordHash: null });
const ACCOUNTS = [HISTORIAN, DISPLAY, RELAY, BY_CERTIFICATE];
const ROUTES = ['1', '2'].map((number) => ({
  machineId: knownMachine(`RF-${number}`),
  topicRoot: `plant/rf-${number}`,
  mqttPasswordHash: `secret-${number}`,
}));

function start(more: Partial<BrokerOptions> = {}) {
  return stage.start({ access: 'password', accounts: ACCOUNTS, routes: ROUTES, ...more });
}

function login({ name, passwordHash }: MqttAccount) {
  return { username: name, password: Buffer.from(passwordHash ?? '') };
}

describe('who may connect', () => {
  it.each([
    ['password', 'x', 'historian', 'secret of historian', 0, ''],
    ['password', 'x', 'historian', 'wrong', 4, 'wrong password: set the password of the MQTT account'],
    ['password', 'x', 'historian', null, 4, 'no password: set the password of the MQTT account'],
    ['password', 'x', 'scanner', 'anything', 4, 'no password is kept for this MQTT account'],
    ['password', 'x', 'nobody', 'secret of historian', 5, 'or an MQTT account (user name "nobody")'],
    ['password', 'x', null, null, 5, 'or an MQTT account'],
    ['password', '', 'historian', 'secret of historian', 0, ''],
    ['password', 'wall-1', 'display', 'secret of display', 0, ''],
    ['password', 'wall-2', 'display', 'secret of display', 5, 'is for the client id "wall-1", not for "wall-2"'],
    ['password', 'wall-1', 'historian', 'secret of historian', 5, 'that of account "display": choose another'],
    ['password', 'RF-1', 'relay', 'secret of relay', 4, 'an account, and the client id is that of a machine'],
    ['password', 'RF-1', 'relay', 'secret-1', 0, ''],
    ['password', '+', 'relay', 'secret of relay', 5, 'choose one without /, + and #'],
    ['password', 'a/b', 'relay', 'secret of relay', 5, 'choose one without /, + and #'],
    ['password', '', 'relay', 'secret of relay', 5, 'choose one without /, + and #'],
    ['known', 'x', 'historian', 'secret of historian', 0, ''],
    ['known', 'x', 'historian', 'wrong', 4, 'wrong password'],
    ['known', 'x', 'nobody', 'any', 5, 'or an MQTT account'],
    ['open', 'x', 'historian', 'secret of historian', 0, ''],
    ['open', 'x', 'historian', 'wrong', 4, 'wrong password'],
    ['open', 'x', 'nobody', 'any', 0, ''],
    ['open', 'x', null, null, 0, ''],
    ['open', 'RF-1', 'relay', 'wrong', 0, ''],
  ] as const)(
    'D-66 with access %s, client id %j with user name %j and password %j is answered %d %s',
    async (access, clientId, username, password, code, sentence) => {
      const under = await start({ access });
      const client = await stage.socket(under.port);
      const credentials = {
        ...(username !== null && { username }),
        ...(password !== null && { password: Buffer.from(password) }),
      };
      client.send(connectOf(clientId, { clean: true, ...credentials }));
      expect((await client.next('connack')).returnCode).toBe(code);
      const told = under.incidents.filter(({ kind }) => kind === 'accessRefused').map(({ detail }) => detail);
      expect(told).toEqual(code === 0 ? [] : [expect.stringContaining(sentence)]);
    },
  );

  it('D-66 guesses of the password of an account are slowed down', async () => {
    const under = await start();
    const attempt = async (password: string) => {
      const client = await stage.socket(under.port);
      client.send(connectOf('x', { username: 'historian', password: Buffer.from(password) }));
      return (await client.next('connack')).returnCode;
    };
    const codes = [];
    for (let guess = 0; guess < 30; guess++) codes.push(await attempt(`guess-${guess}`));
    expect(codes[0]).toBe(4);
    expect(codes.at(-1)).toBe(3);
  });

  it.each([
    [RELAY, `${ROOT}/lwt`, 0],
    [RELAY, 'tools/x/lwt', 0],
    [RELAY, 'plant/rf-2/lwt', 5],
    [HISTORIAN, 'plant/gone', 5],
  ])('D-66 a will is a publication: account $name with one on %s is answered %d', async (who, topic, code) => {
    const under = await start();
    const client = await stage.socket(under.port);
    const will = { topic, payload: Buffer.from('false'), qos: 0, retain: false } as const;
    client.send(connectOf('x', { clean: true, ...login(who), will }));
    expect((await client.next('connack')).returnCode).toBe(code);
    const refused = expect.objectContaining({ detail: expect.stringContaining(`its will is on ${topic}`) });
    expect(under.incidents).toEqual(code === 0 ? [] : [refused]);
  });
});

describe.each([
  ['password', 4],
  ['known', 4],
  ['open', 4],
  ['password', 5],
] as const)('what an account may do with access %s, over the protocol level %d', (access, protocolVersion) => {
  it.each([
    [HISTORIAN, 'x', 'plant/#', true],
    [HISTORIAN, 'x', 'plant', true],
    [HISTORIAN, 'x', `${ROOT}/command`, true],
    [HISTORIAN, 'x', 'plant/+/status', true],
    [HISTORIAN, 'x', '#', false],
    [HISTORIAN, 'x', '+/rf-1/status', false],
    [HISTORIAN, 'x', 'hall/lights', false],
    [DISPLAY, 'wall-1', 'hall/wall-1/+', true],
    [DISPLAY, 'wall-1', 'hall/wall-1/light', true],
    [DISPLAY, 'wall-1', 'hall/wall-1/#', false],
    [DISPLAY, 'wall-1', 'hall/%c/light', false],
    [DISPLAY, 'wall-1', 'hall/wall-2/light', false],
    [RELAY, 'x', '#', true],
    [RELAY, 'x', '$SYS/#', false],
  ])('D-66 account $name as client %s may subscribe to %s: %s', async (who, clientId, filter, may) => {
    const under = await start({ access });
    const client = await stage.connected(under.port, clientId, { ...login(who), protocolVersion });
    const refused = protocolVersion === 5 ? 0x87 : 0x80;
    expect(await client.subscribe([filter, 1])).toEqual([may ? 1 : refused]);
    const incident = { kind: 'forbiddenSubscription', subject: clientId };
    const detail = expect.stringContaining(`subscribes to ${filter}: account "${who.name}" may read `);
    expect(under.incidents).toEqual(may ? [] : [{ ...incident, detail }]);
  });

  it.each([
    [RELAY, `${ROOT}/status`, true],
    [RELAY, `${ROOT}/vars/speed`, true],
    [RELAY, `${ROOT}/anything`, true],
    [RELAY, `${ROOT}/command`, false],
    [RELAY, `${ROOT}/command/run-enabled`, false],
    [RELAY, `${ROOT}/run-enabled`, false],
    [RELAY, 'plant/rf-2/status', false],
    [RELAY, 'tools/x/a', true],
    [RELAY, 'tools/y/a', false],
    [RELAY, '$SYS/a', false],
    [HISTORIAN, `${ROOT}/status`, false],
    [HISTORIAN, 'hall/lights', false],
    [account('everything', { write: ['#'] }), 'plant/rf-2/status', true],
    [account('everything', { write: ['#'] }), 'plant/rf-2/command', false],
    [account('everything', { write: ['#'] }), '$SYS/a', false],
  ])('D-66 account $name may publish on %s: %s', async (who, topic, may) => {
    const under = await start({ access, accounts: [...ACCOUNTS, account('everything', { write: ['#'] })] });
    const reader = await stage.connected(under.port, 'reader', login(RELAY));
    await reader.subscribe(['#', 1]);
    const client = await stage.connected(under.port, 'x', { ...login(who), protocolVersion });
    client.publish(topic, '1', 1);
    await client.next('puback');
    const heard = (await reader.quiet()).some((packet) => packet.cmd === 'publish' && packet.topic === topic);
    expect(heard).toBe(may);
    const told = under.incidents.filter(({ kind }) => kind === 'forbiddenPublish');
    expect(told).toEqual(
      may ? [] : [expect.objectContaining({ subject: 'x', detail: expect.stringContaining(`publishes on ${topic}`) })],
    );
    expect(under.inbox.heard).toHaveLength(may && /^plant.*(status|vars)/.test(topic) ? 1 : 0);
  });
});

describe('MQTT 5', () => {
  const V5 = { protocolVersion: 5 } as const;

  it.each([
    ['wrong', 'x', 0x86, 'wrong password: set the password of the MQTT account in the client (account "display")'],
    ['secret of display', 'x', 0x87, 'account "display" is for the client id "wall-1", not for "x"'],
  ])(
    'D-66 CONNACK for password %j and client id %s has the code %d and the sentence',
    async (password, id, code, text) => {
      const under = await start();
      const client = await stage.socket5(under.port);
      client.send(connectOf(id, { ...V5, username: 'display', password: Buffer.from(password) }));
      expect(await client.next('connack')).toMatchObject({ reasonCode: code, properties: { reasonString: text } });
    },
  );

  it('D-66 SUBACK and PUBACK have the sentence, and a change of the account comes as DISCONNECT', async () => {
    const under = await start();
    const client = await stage.connected(under.port, 'x', { ...V5, ...login(RELAY) });
    client.publish('elsewhere', '1', 1);
    const text = 'account "relay" may publish on tools/x/#, the topics of RF-1';
    const reasonString = `publishes on elsewhere: ${text}`;
    expect(await client.next('puback')).toMatchObject({ reasonCode: 0x87, properties: { reasonString } });
    client.send({ cmd: 'subscribe', messageId: 7, subscriptions: [{ topic: '$SYS/#', qos: 1 }] });
    const told = { reasonString: 'subscribes to $SYS/#: account "relay" may read #' };
    expect(await client.next('suback')).toMatchObject({ granted: [0x87], properties: told });
    under.broker.configure(ROUTES, []);
    expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x98 });
    await client.untilClosed();
  });

  it.each([
    ['$share/group/plant/#', 1],
    ['$share/group/hall/#', 0x87],
    ['$share/group/#', 0x87],
  ])('D-66 the right to a shared subscription %s is that to the filter in it: %d', async (filter, code) => {
    const under = await start();
    const client = await stage.connected(under.port, 'x', { ...V5, ...login(HISTORIAN) });
    expect(await client.subscribe([filter, 1])).toEqual([code]);
  });

  it('D-66 a client without an id logs in too', async () => {
    const under = await start({ accounts: [account('tool', { write: ['tools/#'] })] });
    const client = await stage.socket5(under.port);
    client.send(connectOf('', { ...V5, clean: true, ...login(account('tool')) }));
    expect(await client.next('connack')).toMatchObject({ reasonCode: 0 });
    expect([...under.broker.clients()]).toMatchObject([{ account: 'tool' }]);
  });
});

describe('the course of things', () => {
  it('D-66 what an account may not publish tells what it may, and is told at a machine only for its topics', async () => {
    const under = await start();
    const client = await stage.connected(under.port, 'x', login(RELAY));
    for (const topic of ['elsewhere', 'plant/rf-2/status']) {
      client.publish(topic, '1', 1);
      await client.next('puback');
    }
    const may = 'account "relay" may publish on tools/x/#, the topics of RF-1';
    expect(under.incidents.map(({ detail }) => detail)).toEqual([
      `publishes on elsewhere: ${may}`,
      `publishes on plant/rf-2/status: ${may}`,
    ]);
    expect(under.inbox.unmatchedTopics).toEqual(['x plant/rf-2/status']);
  });

  it('D-66 the list of clients names the account of each', async () => {
    const under = await start();
    await stage.connected(under.port, 'x', login(HISTORIAN));
    await stage.connected(under.port, '', login(HISTORIAN));
    await stage.connected(under.port, 'RF-1', { username: 'x', password: Buffer.from('secret-1') });
    const accounts = Object.fromEntries([...under.broker.clients()].map((client) => [client.clientId, client.account]));
    expect(accounts).toEqual({ x: 'historian', 'anonymous-1': 'historian', 'RF-1': null });
  });

  it.each([
    ['with other rights', [{ ...HISTORIAN, read: [] }]],
    ['with another password', [{ ...HISTORIAN, passwordHash: 'new' }]],
    ['that is removed', []],
  ])('D-66 clients of an account %s are cut off, and no other', async (_what, changed) => {
    const under = await start();
    const [historian, display] = [
      await stage.connected(under.port, 'x', login(HISTORIAN)),
      await stage.connected(under.port, 'wall-1', login(DISPLAY)),
    ];
    under.broker.configure(ROUTES, [...changed, DISPLAY]);
    await historian.untilClosed();
    display.send({ cmd: 'pingreq' });
    await display.next('pingresp');
  });

  it('D-66 an account that changes while its password is compared lets nobody in', async () => {
    const compared = Promise.withResolvers<boolean>();
    const under = await start({ verifySecret: () => compared.promise });
    const client = await stage.socket(under.port);
    client.send(connectOf('x', login(HISTORIAN)));
    await client.quiet();
    under.broker.configure(ROUTES, []);
    compared.resolve(true);
    await client.untilClosed();
    expect(client.received).toEqual([]);
  });

  it('D-66 a session keeps the subscriptions that its account still allows, also across a restart', async () => {
    const under = await start();
    const before = await stage.connected(under.port, 'x', { clean: false, ...login(HISTORIAN) });
    await before.subscribe(['plant/#', 1], ['plant/rf-2/note', 1]);
    const narrowed = { ...HISTORIAN, read: ['plant/rf-2/#'] };
    under.broker.configure(ROUTES, [narrowed, RELAY]);
    await before.untilClosed();
    const writer = await stage.connected(under.port, 'writer', login(RELAY));
    writer.publish(`${ROOT}/note`, 'kept for the session before its rights are looked at', 1);
    await writer.next('puback');
    const back = await stage.connected(under.port, 'x', { clean: false, ...login(HISTORIAN) });
    expect((await back.quiet()).filter(({ cmd }) => cmd === 'publish')).toEqual([]);
    const subscriptions = () => [...under.broker.clients()].find(({ clientId }) => clientId === 'x')?.subscriptions;
    expect(subscriptions()).toEqual([{ filter: 'plant/rf-2/note', qos: 1 }]);
    expect(under.incidents).toContainEqual({
      kind: 'forbiddenSubscription',
      subject: 'x',
      detail: 'subscribes to plant/#: account "historian" may read plant/rf-2/#',
    });
    const again = await stage.restart(under, { access: 'password', accounts: [HISTORIAN], routes: ROUTES });
    await stage.connected(again.port, 'x', { clean: false, ...login(HISTORIAN) });
    expect([...again.broker.clients()].map((client) => client.subscriptions)).toEqual([
      [{ filter: 'plant/rf-2/note', qos: 1 }],
    ]);
  });
});

describe('mqtt.tls.identity', () => {
  const pem = (name: string) => readFileSync(path.join(import.meta.dirname, 'certificates', name));
  const files = { cert: pem('server.pem'), key: pem('server.key'), ca: pem('authority.pem') };
  const ofClient = { cert: pem('client.pem'), key: pem('client.key') };
  /** The common name of the certificate of the tests. */
  const CN = 'client';
  const machine = { machineId: knownMachine(CN), topicRoot: 'plant/client', mqttPasswordHash: null };
  const both = { routes: [...ROUTES, machine], accounts: ACCOUNTS };

  it.each([
    ['cn', 'password', CN, { routes: [...ROUTES, machine] }, ''],
    [
      'cn',
      'password',
      'x',
      { routes: [...ROUTES, machine] },
      '"client" (CN), and the client id is "x": a machine uses',
    ],
    ['cn', 'password', 'RF-1', { routes: [...ROUTES, machine] }, '(CN), and the client id is "RF-1": a machine uses'],
    ['cn', 'password', 'x', { accounts: [account(CN, { passwordHash: null })] }, ''],
    ['cn', 'password', 'RF-1', { accounts: [account(CN)] }, 'and the client id is "RF-1": a machine uses'],
    ['cn', 'password', 'y', { accounts: [account(CN, { clientId: 'x' })] }, 'is for the client id "x", not for "y"'],
    ['cn', 'password', 'x', {}, 'names "client" (CN), which is neither a machine nor an MQTT account'],
    ['cn', 'open', 'RF-1', {}, 'names "client" (CN), which is neither a machine nor an MQTT account'],
    ['none', 'password', CN, both, 'no password is kept for this machine'],
    ['none', 'open', 'x', {}, ''],
  ] as const)(
    'D-66 with identity %s and access %s, a verified certificate of CN client as client id %s: %o %s',
    async (identity, access, clientId, plant, sentence) => {
      const tls = {
        ...files,
        port: 0,
        identity,
        requestCert: true,
        rejectUnauthorized: false,
        pace: new Handshakes().pace,
      };
      const under = await start({ tls, access, ...plant });
      const url = `mqtts://localhost:${under.tlsPort}`;
      const options = { ca: files.ca, ...ofClient, clientId, reconnectPeriod: 0, connectTimeout: 2_000 };
      const connected = connectAsync(url, options, false);
      if (sentence === '') await (await connected).endAsync();
      else await expect(connected).rejects.toThrow();
      const told = under.incidents.filter(({ kind }) => kind === 'accessRefused').map(({ detail }) => detail);
      expect(told).toEqual(sentence === '' ? [] : [expect.stringContaining(sentence)]);
    },
  );

  it.each([
    ['of another authority', { ca: pem('expires-first.pem') }, ofClient],
    ['left out', {}, {}],
  ])('D-66 a certificate %s names nobody', async (_what, authority, own) => {
    const tls = {
      ...files,
      ...authority,
      port: 0,
      identity: 'cn' as const,
      requestCert: true,
      rejectUnauthorized: false,
      pace: new Handshakes().pace,
    };
    const under = await start({ tls, accounts: [account(CN)] });
    const url = `mqtts://localhost:${under.tlsPort}`;
    const options = { ca: files.ca, ...own, clientId: 'x', username: CN, reconnectPeriod: 0, connectTimeout: 2_000 };
    await expect(connectAsync(url, { ...options, password: 'wrong' }, false)).rejects.toThrow();
    await (await connectAsync(url, { ...options, password: `secret of ${CN}` }, false)).endAsync();
  });
});

const level = fc.constantFrom('a', 'b', '', '$x');
const topic = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/'));
const filter = fc
  .tuple(fc.array(fc.oneof(level, fc.constant('+')), { maxLength: 3 }), fc.constantFrom('#', '+', 'a', ''))
  .map(([levels, last]) => [...levels, last].join('/'));

it('D-66 a filter that a right covers matches no topic beyond the right', () => {
  fc.assert(
    fc.property(filter, filter, topic, (right, wanted, name) => {
      const covers = filterCovers(right.split('/'), wanted.split('/'));
      return !covers || !topicMatches(wanted, name) || topicMatches(right, name);
    }),
    { numRuns: 20_000 },
  );
  fc.assert(
    fc.property(filter, topic, (right, name) => {
      expect(filterCovers(right.split('/'), right.split('/'))).toBe(true);
      expect(filterCovers(right.split('/'), name.split('/'))).toBe(topicMatches(right, name));
    }),
  );
});
