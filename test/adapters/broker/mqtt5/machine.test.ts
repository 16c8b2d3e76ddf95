import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../src/domain/machine/decision.ts';
import { BrokerStage, COMMAND_TOPICS, knownMachine, ROOT } from '../broker-under-test.ts';
import type { ConnectPacket, RawClient } from '../raw-client.ts';
import { LASTING, publishOf, V5 } from './client.ts';

const stage = new BrokerStage();
const RF_1 = knownMachine('RF-1');
const NO_PART: Decision = { runEnabled: false, attentionNeeded: false, message: 'Part not selected' };

async function machine(under: Awaited<ReturnType<BrokerStage['start']>>, more: Partial<ConnectPacket> = {}) {
  const client = await stage.connected(under.port, 'RF-1', { ...LASTING, ...more });
  await client.subscribe(...COMMAND_TOPICS.map((topic) => [topic, 1] as const));
  return client;
}

/** The next messages, by topic. */
async function commands(client: RawClient, count: number) {
  const messages = [];
  for (let index = 0; index < count; index++) messages.push(await client.next('publish'));
  return Object.fromEntries(messages.map((message) => [message.topic.slice(ROOT.length + 1), message]));
}

describe('CONNACK of MQTT 5', () => {
  it('P-CONNACK tells the bounds of the gateway', async () => {
    const under = await stage.start();
    const client = await stage.socket5(under.port);
    client.send(connectOf5('RF-1'));
    expect(await client.next('connack')).toMatchObject({
      reasonCode: 0,
      sessionPresent: false,
      properties: { receiveMaximum: 256, maximumPacketSize: 262_144, topicAliasMaximum: 32 },
    });
  });

  it.each([5, 12])(
    'P-MAX-PACKET a CONNACK without its properties, for a client that takes %i bytes',
    async (maximumPacketSize) => {
      const under = await stage.start();
      const client = await stage.socket5(under.port);
      client.send({ ...connectOf5('RF-1'), properties: { maximumPacketSize } });
      const connack = await client.next('connack');
      expect(connack).toMatchObject({ reasonCode: 0, length: 3 });
    },
  );

  it('P-RESPONSE-INFO names the command topic to a machine that asks', async () => {
    const under = await stage.start();
    const client = await stage.socket5(under.port);
    client.send({ ...connectOf5('RF-1'), properties: { requestResponseInformation: true } });
    expect((await client.next('connack')).properties).toMatchObject({ responseInformation: `${ROOT}/command` });
  });

  it('P-SESSION a session lives a week at most, and the client is told', async () => {
    const under = await stage.start();
    const client = await stage.socket5(under.port);
    client.send({ ...connectOf5('RF-1'), properties: { sessionExpiryInterval: 4_294_967_295 } });
    expect((await client.next('connack')).properties).toMatchObject({ sessionExpiryInterval: 604_800 });
  });

  it.each([
    ['a wrong password', 'RF-1', 0x86, 'wrong password'],
    ['a client that is no machine', 'display', 0x87, 'not a configured machine'],
  ])('P-PASSWORD %s is refused with its reason', async (_, clientId, code, text) => {
    const under = await stage.start({ access: 'password' });
    const client = await stage.socket5(under.port);
    client.send({ ...connectOf5(clientId), username: 'plc', password: Buffer.from('guess') });
    const connack = await client.next('connack');
    expect(connack.reasonCode).toBe(code);
    expect(connack.properties?.reasonString).toContain(text);
    await client.untilClosed();
  });

  it('P-PASSWORD a password is enough, without a user name', async () => {
    const under = await stage.start({ access: 'password' });
    const client = await stage.socket5(under.port);
    const password = [0, 8, ...Buffer.from('secret-1')];
    client.sendBytes(
      0x10,
      27,
      0,
      4,
      ...Buffer.from('MQTT'),
      5,
      0x42,
      0,
      60,
      0,
      0,
      4,
      ...Buffer.from('RF-1'),
      ...password,
    );
    expect(await client.next('connack')).toMatchObject({ reasonCode: 0 });
  });

  it('a CONNECT that breaks the protocol is told how', async () => {
    const under = await stage.start();
    const client = await stage.socket5(under.port);
    client.sendBytes(0x10, 19, 0, 4, 0x4d, 0x51, 0x54, 0x54, 5, 2, 0, 60, 3, 0x21, 0, 0, 0, 1, 65, 0, 0);
    const connack = await client.next('connack');
    expect(connack.reasonCode).toBe(0x82);
    expect(connack.properties?.reasonString).toContain('receiveMaximum: found 0, expected 1 or more');
  });
});

describe('commands in MQTT 5', () => {
  it('P-EXPIRY, P-CONTENT, P-CAUSE each has 60 s, the JSON its type and the cause', async () => {
    const under = await stage.start();
    const client = await machine(under);
    under.inbox.present = NO_PART;
    client.publish(`${ROOT}/status`, '{}', 1);
    expect(await client.next('puback')).toMatchObject({ reasonCode: 0 });
    const got = await commands(client, 5);
    expect(got.command?.properties).toEqual({
      messageExpiryInterval: 60,
      payloadFormatIndicator: true,
      contentType: 'application/json',
      userProperties: { cause: 'noPart' },
    });
    expect(got['command/run-enabled']?.properties).toEqual({ messageExpiryInterval: 60 });
  });

  it('P-CAUSE a machine that may run gets no cause', async () => {
    const under = await stage.start();
    const client = await machine(under);
    client.publish(`${ROOT}/status`, '{}', 1);
    const { command } = await commands(client, 5);
    expect(command?.properties).not.toHaveProperty('userProperties');
  });

  it('P-CORRELATION, D-69 the answer has the correlation data of its status, other commands have none', async () => {
    const under = await stage.start();
    const client = await machine(under);
    const correlationData = Buffer.from([1, 2, 0, 255]);
    client.send({ ...publishOf(`${ROOT}/status`, '{}'), properties: { correlationData } });
    expect((await commands(client, 5)).command?.properties?.correlationData).toEqual(correlationData);
    under.broker.send(RF_1, NO_PART, 'all');
    expect((await commands(client, 5)).command?.properties).not.toHaveProperty('correlationData');
  });

  it('D-69 a held status is answered with the correlation data that came with it', async () => {
    const under = await stage.start();
    const client = await machine(under);
    const correlationData = Buffer.from('newest');
    under.broker.send(RF_1, NO_PART, 'all', { correlationData, responseTopic: null });
    expect((await commands(client, 5)).command?.properties?.correlationData).toEqual(correlationData);
  });

  it.each([
    ['a free topic of its own', `${ROOT}/answers/1`, true],
    ['another machine’s command', 'plant/rf-2/command', false],
    ['another machine’s status', 'plant/rf-2/status', false],
    ['its own command', `${ROOT}/command`, false],
    ['its own status', `${ROOT}/status`, false],
    ['a topic of nobody', 'answers', false],
    ['a topic with a wildcard', `${ROOT}/answers/#`, false],
    ['a topic that begins like its own', `${ROOT}x/answers`, false],
  ])('P-RESPONSE, D-69 a response topic that is %s', async (_, responseTopic, isAnswered) => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader');
    await reader.subscribe(
      ['answers', 0],
      [`${ROOT}x/#`, 0],
      ['plant/rf-2/#', 0],
      [`${ROOT}/answers/#`, 0],
      [`${ROOT}/status`, 0],
    );
    const client = await stage.connected(under.port, 'RF-1', V5);
    client.send({
      ...publishOf(`${ROOT}/status`, '{}'),
      properties: { responseTopic, correlationData: Buffer.from('7') },
    });
    await client.next('puback');
    const came = (await reader.quiet()).flatMap((packet) => (packet.cmd === 'publish' ? [packet] : []));
    const answers = came.filter(({ payload }) => payload.toString().includes('runEnabled'));
    expect(answers.map(({ topic }) => topic)).toEqual(isAnswered ? [responseTopic] : []);
  });

  it.each([
    ['without room for its properties', 170, { contentType: undefined, topics: 5 }],
    ['without room for the JSON', 60, { contentType: undefined, topics: 4 }],
  ])('P-MAX-PACKET, D-70 a command %s', async (_, maximumPacketSize, { topics }) => {
    const under = await stage.start();
    under.inbox.present = NO_PART;
    const client = await stage.connected(under.port, 'RF-1', { ...V5, properties: { maximumPacketSize } });
    await client.subscribe(...COMMAND_TOPICS.map((topic) => [topic, 0] as const));
    client.send({ ...publishOf(`${ROOT}/status`, '{}'), properties: { correlationData: Buffer.alloc(100) } });
    const came = (await client.quiet()).flatMap((packet) => (packet.cmd === 'publish' ? [packet] : []));
    expect(came).toHaveLength(topics);
    for (const { length = 0 } of came) expect(length + 2).toBeLessThanOrEqual(maximumPacketSize);
    const told = under.incidents.filter(({ kind, subject }) => kind === 'packetTooLarge' && subject === 'RF-1');
    expect(told).toHaveLength(5 - topics);
  });

  it('P-RECEIVE-MAX a machine that acknowledges no command is named', async () => {
    let aheadMs = 0;
    const now = () => ({ monotonicMs: performance.now() + aheadMs, wallMs: Date.now() });
    const under = await stage.start({ clock: { now } });
    const client = await machine(under, {
      keepalive: 0,
      properties: { sessionExpiryInterval: 600, receiveMaximum: 1 },
    });
    client.publish(`${ROOT}/status`, '{}', 1);
    await client.quiet(1_200);
    aheadMs += 11_000;
    await expect
      .poll(() => under.incidents.find(({ kind }) => kind === 'slowReader')?.detail)
      .toContain('acknowledges no command: 1 wait for its PUBACK');
  });

  it('P-RECEIVE-MAX with a receive maximum of 1 a slow machine gets the newest command of each topic, one at a time', async () => {
    const under = await stage.start();
    const client = await machine(under, { properties: { sessionExpiryInterval: 600, receiveMaximum: 1 } });
    for (let round = 0; round < 20; round++) {
      client.publish(`${ROOT}/status`, '{}', 1, false, round + 1);
      await client.next('puback');
    }
    under.inbox.present = NO_PART;
    under.broker.send(RF_1, NO_PART, 'all');
    const first = await client.next('publish');
    expect(await client.quiet()).toEqual([]);
    const seen = [first.topic];
    let messageId = first.messageId ?? 0;
    for (let index = 0; index < 5; index++) {
      client.send({ cmd: 'puback', messageId });
      const next = await client.next('publish');
      expect(client.received).toEqual([]);
      if (next.topic === `${ROOT}/command`) expect(JSON.parse(next.payload.toString())).toMatchObject(NO_PART);
      seen.push(next.topic);
      messageId = next.messageId ?? 0;
    }
    client.send({ cmd: 'puback', messageId });
    expect(await client.quiet()).toEqual([]);
    expect(new Set(seen)).toEqual(new Set(COMMAND_TOPICS));
  });

  it('P-RECEIVE-MAX commands come before other messages of the same connection', async () => {
    const under = await stage.start();
    const client = await machine(under, { properties: { sessionExpiryInterval: 600, receiveMaximum: 2 } });
    await client.subscribe(['news', 1]);
    const writer = await stage.connected(under.port, 'writer');
    for (let count = 0; count < 5; count++) writer.publish('news', `${count}`, 1, false, count + 1);
    const first = await client.next('publish');
    expect(first.topic).toBe('news');
    expect(await client.quiet()).toEqual([]);
    client.publish(`${ROOT}/status`, '{}', 1);
    expect((await client.next('publish')).topic).toBe(`${ROOT}/command`);
    client.send({ cmd: 'puback', messageId: first.messageId ?? 0 });
    expect((await client.next('publish')).topic).toBe(`${ROOT}/command/run-enabled`);
  });

  it('D-06, D-67 a machine that comes back gets the present decision, made now', async () => {
    const under = await stage.start();
    const client = await machine(under);
    client.drop();
    await client.untilClosed();
    under.broker.send(RF_1, NO_PART, 'all');
    const sentAt = Date.now();
    const back = await stage.connected(under.port, 'RF-1', LASTING);
    const { command } = await commands(back, 5);
    expect(command).toMatchObject({ dup: false, properties: { messageExpiryInterval: 60 } });
    const { runEnabled, timestamp } = JSON.parse(command?.payload.toString() ?? '');
    expect(runEnabled).toBe(true);
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(sentAt);
  });
});

describe('reasons that a machine reads in its acknowledgement', () => {
  const REFUSED = { kind: 'refused', detail: 'body: unknown field "goodParst"; did you mean goodPart?' } as const;
  const IGNORED = { kind: 'ignored', detail: 'not on the tracking list of the machine; did you mean speed?' } as const;

  it.each([
    ['a refused field', 'status/goodParst', REFUSED, 0x99, REFUSED.detail],
    ['refused variables', 'vars', REFUSED, 0x99, REFUSED.detail],
    ['a refused presence', 'online', REFUSED, 0x99, REFUSED.detail],
    ['a variable that is not tracked', 'vars/spead', IGNORED, 0, IGNORED.detail],
    ['a topic that plantgate does not use', 'statsu', IGNORED, 0x10, IGNORED.detail],
    ['a command topic', 'command', REFUSED, 0x87, REFUSED.detail],
  ] as const)('P-REASON, D-68 %s', async (_, suffix, report, code, text) => {
    const under = await stage.start();
    under.inbox.report = report;
    const client = await stage.connected(under.port, 'RF-1', V5);
    for (const qos of [1, 2] as const) {
      client.publish(`${ROOT}/${suffix}`, '1', qos, false, qos);
      const answer = await client.next(qos === 1 ? 'puback' : 'pubrec');
      expect(answer).toMatchObject({ messageId: qos, reasonCode: code, properties: { reasonString: text } });
    }
    // The connection goes on.
    client.publish(`${ROOT}/status`, '{}', 1, false, 9);
    expect(await client.next('puback')).toMatchObject({ messageId: 9, reasonCode: 0 });
  });

  it('P-REASON nothing is told to a client that does not want it', async () => {
    const under = await stage.start();
    under.inbox.report = REFUSED;
    const client = await stage.connected(under.port, 'RF-1', {
      ...V5,
      properties: { requestProblemInformation: false },
    });
    client.publish(`${ROOT}/vars`, '1', 1);
    const answer = await client.next('puback');
    expect(answer.reasonCode).toBe(0x99);
    expect(answer.properties ?? {}).not.toHaveProperty('reasonString');
  });

  it('D-73 a message of QoS 2 that is refused frees its packet id', async () => {
    const under = await stage.start();
    under.inbox.report = REFUSED;
    const client = await stage.connected(under.port, 'RF-1', V5);
    client.publish(`${ROOT}/vars`, '1', 2, false, 5);
    expect(await client.next('pubrec')).toMatchObject({ reasonCode: 0x99 });
    under.inbox.report = null;
    client.publish(`${ROOT}/vars`, '2', 2, false, 5);
    expect(await client.next('pubrec')).toMatchObject({ reasonCode: 0 });
    expect(under.inbox.heard).toEqual(['RF-1 vars 1', 'RF-1 vars 2']);
    client.send({ cmd: 'pubrel', messageId: 5 });
    expect(await client.next('pubcomp')).toMatchObject({ reasonCode: 0 });
    client.send({ cmd: 'pubrel', messageId: 5 });
    expect(await client.next('pubcomp')).toMatchObject({ reasonCode: 0x92 });
  });

  it('D-73 a message that the disk did not take is told so', async () => {
    const under = await stage.start();
    under.inbox.stored = Promise.reject(new Error('the disk is full'));
    // The broker handles it when the message comes; until then Node would end the test.
    under.inbox.stored.catch(() => undefined);
    const client = await stage.connected(under.port, 'RF-1', V5);
    client.publish(`${ROOT}/vars`, '1', 1);
    expect(await client.next('puback')).toMatchObject({
      reasonCode: 0x83,
      properties: { reasonString: 'the disk is full' },
    });
  });

  it('D-65 a SUBSCRIBE beside the commands is told what was meant', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', V5);
    client.send({ cmd: 'subscribe', messageId: 3, subscriptions: [{ topic: `${ROOT}/comand`, qos: 1 }] });
    const suback = await client.next('suback');
    expect(suback.granted).toEqual([1]);
    expect(suback.properties?.reasonString).toContain(`did you mean ${ROOT}/command?`);
  });

  it('a filter that MQTT forbids is refused by itself', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', V5);
    expect(await client.subscribe(['a#b', 1], [`${ROOT}/command`, 1])).toEqual([0x8f, 1]);
  });
});

function connectOf5(clientId: string): ConnectPacket {
  return { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 5, clean: true, clientId, keepalive: 60 };
}
