import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/domain/machine/decision.ts';
import { BrokerStage, COMMAND_TOPICS, commands, knownMachine, MAY_RUN, ROOT } from './broker-under-test.ts';

const stage = new BrokerStage();
const POWER_OFF: Decision = { runEnabled: false, attentionNeeded: true, message: 'Machine power is off' };
const NO_PART: Decision = { runEnabled: false, attentionNeeded: false, message: 'Part not selected' };
const RF_1 = knownMachine('RF-1');

describe('status and command', () => {
  it('MQTT-01, MQTT-02, MQTT-03, DEV-19 a status is answered on every command topic with QoS 1, not retained, without machineId', async () => {
    const under = await stage.start();
    under.inbox.present = POWER_OFF;
    const client = await stage.device(under);
    client.publish(`${ROOT}/status`, '{"a":1}', 1);
    await client.next('puback');
    const messages = [];
    for (let count = 0; count < COMMAND_TOPICS.length; count++) messages.push(await client.next('publish'));
    expect(messages.map(({ topic }) => topic)).toEqual(COMMAND_TOPICS);
    expect(messages.every(({ qos, retain, dup }) => qos === 1 && !retain && !dup)).toBe(true);
    const [json, ...bits] = messages.map(({ payload }) => payload.toString());
    const { timestamp, ...command } = JSON.parse(json ?? '');
    expect(command).toEqual(POWER_OFF);
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(bits).toEqual(['0', '1', '0', '1']);
    expect(under.inbox.heard).toEqual(['RF-1 status {"a":1}']);
  });

  it.each([
    ['command/#', 1, ['command', 'command/run-enabled', 'command/attention-needed']],
    ['command/+', 0, ['command/run-enabled', 'command/attention-needed']],
    ['command', 2, ['command']],
    [
      '#',
      1,
      ['attention-needed', 'command', 'command/attention-needed', 'command/run-enabled', 'run-enabled', 'status'],
    ],
  ] as const)(
    'MQTT-01 a device that subscribes to %s with QoS %d gets each command once',
    async (suffix, qos, expected) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, 'RF-1');
      expect(await client.subscribe([`${ROOT}/${suffix}`, qos])).toEqual([qos]);
      client.publish(`${ROOT}/status`, '{}', 1);
      expect(Object.keys(await commands(client, expected.length)).sort()).toEqual([...expected].sort());
      expect(await client.quiet()).toHaveLength(1);
    },
  );

  it('MQTT-03 the deprecated topics can be switched off', async () => {
    const under = await stage.start({ legacyCommandTopics: false });
    const client = await stage.device(under);
    client.publish(`${ROOT}/status`, '{}', 1);
    await client.next('puback');
    expect(Object.keys(await commands(client, 3))).toEqual([
      'command',
      'command/run-enabled',
      'command/attention-needed',
    ]);
    expect(await client.quiet()).toEqual([]);
  });

  it('MQTT-01 a PLC under another client id and an HMI beside it get the command too', async () => {
    const under = await stage.start();
    const plc = await stage.connected(under.port, 'some-plc');
    await plc.subscribe([`${ROOT}/command`, 1]);
    const hmi = await stage.connected(under.port, 'hmi');
    await hmi.subscribe(['plant/+/command', 0]);
    plc.publish(`${ROOT}/status`, '{}', 1);
    expect(JSON.parse((await plc.next('publish')).payload.toString())).toMatchObject(MAY_RUN);
    expect((await hmi.next('publish')).qos).toBe(0);
  });

  it('MQTT-04, MQTT-05 single fields are taken one by one and answered only by the PUBACK', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    for (const [name, value] of [
      ['running', '1'],
      ['goodPart', '12'],
      ['machine_power', 'true'],
    ] as const) {
      client.publish(`${ROOT}/status/${name}`, value, 1);
      await client.next('puback');
    }
    expect(under.inbox.heard).toEqual([
      'RF-1 field running=1',
      'RF-1 field goodPart=12',
      'RF-1 field machine_power=true',
    ]);
    expect(await client.quiet()).toEqual([]);
  });

  it('D-05 a changed decision is published on every command topic, or on request on the 0/1 topics alone', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    under.broker.send(RF_1, POWER_OFF, 'all');
    expect(Object.keys(await commands(client, 5))).toHaveLength(5);
    under.broker.send(RF_1, MAY_RUN, 'bits');
    expect(await commands(client, 4)).toEqual({
      'command/run-enabled': '1',
      'command/attention-needed': '0',
      'run-enabled': '1',
      'attention-needed': '0',
    });
  });

  it('two machines on one broker are kept apart', async () => {
    const under = await stage.start();
    const one = await stage.device(under);
    const two = await stage.connected(under.port, 'RF-2');
    await two.subscribe(['plant/rf-2/command', 1]);
    two.publish('plant/rf-2/status', '{}', 1);
    await two.next('publish');
    expect(await one.quiet()).toEqual([]);
    expect(under.inbox.heard).toEqual(['RF-2 status {}']);
  });
});

describe('sessions', () => {
  it('D-06, D-67 a device that was away gets the present decision on each topic and nothing older', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    client.end();
    await client.untilClosed();
    for (const decision of [POWER_OFF, NO_PART, MAY_RUN, NO_PART]) under.broker.send(RF_1, decision, 'all');
    under.inbox.present = NO_PART;
    const back = await stage.connected(under.port, 'RF-1', { clean: false });
    const got = await commands(back, 5);
    expect(JSON.parse(got.command ?? '')).toMatchObject(NO_PART);
    expect(got['command/run-enabled']).toBe('0');
    expect(await back.quiet()).toEqual([]);
  });

  it('D-06 an HMI with its own persistent session gets only the newest command', async () => {
    const under = await stage.start();
    const hmi = await stage.connected(under.port, 'hmi', { clean: false });
    await hmi.subscribe([`${ROOT}/command`, 1], ['news', 1]);
    hmi.end();
    await hmi.untilClosed();
    for (const decision of [POWER_OFF, MAY_RUN, NO_PART]) under.broker.send(RF_1, decision, 'all');
    const back = await stage.connected(under.port, 'hmi', { clean: false });
    expect(JSON.parse((await back.next('publish')).payload.toString())).toMatchObject(NO_PART);
    expect(await back.quiet()).toEqual([]);
  });

  it('D-06, D-67 for a command that was not acknowledged a device that returns gets the present decision as a new message', async () => {
    const under = await stage.start();
    const first = await stage.device(under);
    under.broker.send(RF_1, POWER_OFF, 'all');
    const sent = await first.next('publish');
    first.drop();
    await first.untilClosed();
    const second = await stage.connected(under.port, 'RF-1', { clean: false });
    const present = await second.next('publish');
    expect(present).toMatchObject({ dup: false });
    expect(present.messageId).not.toBe(sent.messageId);
    expect(JSON.parse(present.payload.toString())).toMatchObject(MAY_RUN);
    second.drop();
    await expect.poll(() => under.broker.counters().devices).toBe(0);
    under.broker.send(RF_1, MAY_RUN, 'all');
    const third = await stage.connected(under.port, 'RF-1', { clean: false });
    const newest = await third.next('publish');
    expect(newest.dup).toBe(false);
    expect(JSON.parse(newest.payload.toString())).toMatchObject(MAY_RUN);
  });

  it('MQTT-10 subscriptions of a device outlive a restart of the gateway, and the device gets the present decision', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    client.drop();
    await client.untilClosed();
    const again = await stage.restart(under);
    again.inbox.present = NO_PART;
    const back = await stage.socket(again.port);
    back.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: false,
      clientId: 'RF-1',
      keepalive: 60,
    });
    expect((await back.next('connack')).sessionPresent).toBe(true);
    expect(JSON.parse((await commands(back, 5)).command ?? '')).toMatchObject(NO_PART);
    back.publish(`${ROOT}/status`, '{}', 1);
    await commands(back, 5);
  });

  it('MQTT-10 sessions, queued messages and retained messages of any client outlive a restart', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', { clean: false });
    await reader.subscribe(['news/#', 1]);
    reader.end();
    await reader.untilClosed();
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('news/a', 'queued', 1);
    await writer.next('puback');
    writer.publish('kept', 'retained', 1, true);
    await writer.next('puback');
    const again = await stage.restart(under);
    const back = await stage.connected(again.port, 'reader', { clean: false });
    expect((await back.next('publish')).payload.toString()).toBe('queued');
    await back.subscribe(['kept', 1]);
    expect(await back.next('publish')).toMatchObject({ retain: true });
  });
});

describe('presence', () => {
  it('MQTT-06, MQTT-07 online and lwt are taken, retained for later subscribers, and kept across a restart', async () => {
    const under = await stage.start();
    const will = { topic: `${ROOT}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true } as const;
    const client = await stage.device(under, { will });
    client.publish(`${ROOT}/online`, 'true', 1, true);
    await client.next('puback');
    client.drop();
    await client.untilClosed();
    const reader = await stage.connected(under.port, 'reader');
    await expect.poll(() => under.inbox.heard).toEqual(['RF-1 online true', 'RF-1 lwt false']);
    await reader.subscribe([`${ROOT}/+`, 1]);
    expect(await commands(reader, 2)).toEqual({ online: 'true', lwt: 'false' });
    const again = await stage.restart(under);
    const late = await stage.connected(again.port, 'late');
    await late.subscribe([`${ROOT}/+`, 1]);
    expect(await commands(late, 2)).toEqual({ online: 'true', lwt: 'false' });
  });

  it('MQTT-07 neither a DISCONNECT nor a restart of the gateway publishes lwt', async () => {
    const under = await stage.start();
    const will = { topic: `${ROOT}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true } as const;
    const polite = await stage.device(under, { will });
    polite.end();
    await polite.untilClosed();
    await stage.device(under, { will });
    await stage.stop(under);
    expect(under.inbox.heard).toEqual([]);
  });
});

describe('variables', () => {
  it('MQTT-08, VAR-04, D-50 variables are acknowledged once they are stored, and no other message waits for them', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    let stored: () => void = () => undefined;
    under.inbox.stored = new Promise((resolve) => {
      stored = resolve;
    });
    client.publish(`${ROOT}/vars`, '{"speed":1}', 1, false, 31);
    client.publish(`${ROOT}/vars/speed`, '2', 1, false, 32);
    client.publish(`${ROOT}/status`, '{}', 1, false, 33);
    expect((await client.next('puback')).messageId).toBe(33);
    await commands(client, 5);
    expect(await client.quiet()).toEqual([]);
    stored();
    expect((await client.next('puback')).messageId).toBe(31);
    expect((await client.next('puback')).messageId).toBe(32);
    expect(under.inbox.heard).toEqual(['RF-1 vars {"speed":1}', 'RF-1 variable speed=2', 'RF-1 status {}']);
  });

  it('VAR-04 variables that could not be stored are not acknowledged', async () => {
    const under = await stage.start();
    const refusal = Promise.reject(new Error('no room'));
    refusal.catch(() => 'the broker takes it later');
    under.inbox.stored = refusal;
    const client = await stage.device(under);
    client.publish(`${ROOT}/vars/speed`, '2', 1);
    expect(await client.quiet()).toEqual([]);
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'store', subject: 'RF-1' }));
  });

  it('MQTT-08 variables from a client with another name are also acknowledged after the commit', async () => {
    const under = await stage.start();
    let stored: () => void = () => undefined;
    under.inbox.stored = new Promise((resolve) => {
      stored = resolve;
    });
    const client = await stage.connected(under.port, 'sensor-box');
    client.publish(`${ROOT}/vars/speed`, '2', 1);
    expect(await client.quiet()).toEqual([]);
    stored();
    await client.next('puback');
  });
});
