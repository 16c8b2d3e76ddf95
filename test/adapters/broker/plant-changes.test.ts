import { describe, expect, it } from 'vitest';
import { BrokerStage, type BrokerUnderTest, COMMAND_TOPICS, knownMachine, ROOT } from './broker-under-test.ts';

const stage = new BrokerStage();

function route(id: string, topicRoot: string, mqttPasswordHash: string | null = null) {
  return { machineId: knownMachine(id), topicRoot, mqttPasswordHash };
}

function deviceRows(under: BrokerUnderTest): readonly string[] {
  return [...under.journal.rows.values()].filter(({ key }) => key.startsWith('device')).map(({ key }) => key);
}

const RF_1 = route('RF-1', ROOT);
const RF_2 = route('RF-2', 'plant/rf-2');

const RETURN_OF_RF_1 = {
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clean: false,
  clientId: 'RF-1',
  keepalive: 60,
} as const;

describe('a change of the plant', () => {
  it('leaves no session of a machine that was removed while it was connected', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    under.broker.configure([RF_2], []);
    await client.untilClosed();
    expect(deviceRows(under)).toEqual([]);
  });

  it.each([
    ['while it is connected', true],
    ['while it is away', false],
  ])(
    'MQTT-10 drops the session of a machine that is moved to another TopicRoot %s, also after a restart',
    async (_, isConnected) => {
      const under = await stage.start();
      const client = await stage.device(under);
      if (!isConnected) {
        client.end();
        await client.untilClosed();
      }
      under.broker.configure([route('RF-1', 'plant/moved'), RF_2], []);
      await client.untilClosed();
      const again = await stage.restart(under, { routes: [route('RF-1', 'plant/moved'), RF_2] });
      const back = await stage.socket(again.port);
      back.send(RETURN_OF_RF_1);
      expect((await back.next('connack')).sessionPresent).toBe(false);
    },
  );

  it('MQTT-10 drops the session of a machine that was moved while the gateway was down', async () => {
    const under = await stage.start();
    (await stage.device(under)).drop();
    const again = await stage.restart(under, { routes: [route('RF-1', 'plant/moved'), RF_2] });
    const back = await stage.socket(again.port);
    back.send(RETURN_OF_RF_1);
    expect((await back.next('connack')).sessionPresent).toBe(false);
  });

  it('deletes the rows of a machine that was removed while the gateway was down', async () => {
    const under = await stage.start();
    (await stage.device(under)).drop();
    const again = await stage.restart(under, { routes: [RF_2] });
    expect(deviceRows(again)).toEqual([]);
  });

  it('keeps the session of a machine whose other settings changed', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    under.broker.configure([{ ...RF_1, mqttPasswordHash: 'other' }, RF_2], []);
    under.broker.send(knownMachine('RF-1'), { runEnabled: true, attentionNeeded: false, message: null }, 'all');
    for (const _ of COMMAND_TOPICS) await client.next('publish');
  });

  it('MQTT-11 with a new password cuts off a client that used the old one, if passwords are required', async () => {
    const under = await stage.start({ access: 'password', routes: [route('RF-1', ROOT, 'old'), RF_2] });
    const secret = { username: 'RF-1', password: Buffer.from('old') };
    const client = await stage.connected(under.port, 'RF-1', { clean: false, ...secret });
    under.broker.configure([route('RF-1', ROOT, 'new'), RF_2], []);
    await client.untilClosed();
    const back = await stage.connected(under.port, 'RF-1', { clean: false, ...secret, password: Buffer.from('new') });
    await back.subscribe([`${ROOT}/command`, 1]);
  });

  it('MQTT-11 keeps out a machine that is removed while its password is checked', async () => {
    const looked = Promise.withResolvers<boolean>();
    const verifySecret = () => looked.promise;
    const under = await stage.start({ access: 'password', verifySecret });
    const client = await stage.socket(under.port);
    const secret = { username: 'RF-1', password: Buffer.from('x') };
    client.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: 'RF-1',
      keepalive: 60,
      ...secret,
    });
    await expect.poll(() => under.broker.counters().connections).toBe(1);
    await client.quiet();
    under.broker.configure([RF_2], []);
    looked.resolve(true);
    await client.untilClosed();
    expect(client.received).toEqual([]);
  });
});
