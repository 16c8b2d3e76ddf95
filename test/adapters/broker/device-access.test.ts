import { readFileSync } from 'node:fs';
import path from 'node:path';
import { connectAsync } from 'mqtt';
import { describe, expect, it, vi } from 'vitest';
import { Handshakes } from '../../../src/adapters/system/handshakes.ts';
import { BrokerStage, commands, knownMachine, MAY_RUN, ROOT } from './broker-under-test.ts';
import { connectOf } from './raw-client.ts';

const stage = new BrokerStage();

describe('access rights', () => {
  it.each([
    ['RF-1', `${ROOT}/command`],
    ['RF-1', `${ROOT}/run-enabled`],
    ['RF-1', 'plant/rf-2/status'],
    ['RF-1', 'elsewhere'],
    ['RF-2', `${ROOT}/online`],
    ['stranger', `${ROOT}/command`],
    ['stranger', `${ROOT}/command/run-enabled`],
    ['stranger', `${ROOT}/command/deeper/still`],
    ['stranger', '$SYS/broker'],
  ])(
    'MQTT-13 %s may not publish on %s: the message goes nowhere, diagnostics name the client, and the connection stays',
    async (clientId, topic) => {
      const under = await stage.start();
      const reader = await stage.connected(under.port, 'reader');
      await reader.subscribe(['#', 1], ['$SYS/#', 1], ['$plantgate/#', 1]);
      const client = await stage.connected(under.port, clientId);
      client.publish(topic, '1', 1);
      await client.next('puback');
      client.send({ cmd: 'pingreq' });
      await client.next('pingresp');
      expect((await reader.quiet()).filter((packet) => packet.cmd === 'publish' && packet.topic === topic)).toEqual([]);
      expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'forbiddenPublish', subject: clientId }));
      expect(under.inbox.heard).toEqual([]);
    },
  );

  it.each([
    [`/${ROOT}/command`, `${ROOT}/command`],
    [`${ROOT}/command/`, `${ROOT}/command`],
    [`${ROOT}/ command `, `${ROOT}/command`],
    [`${ROOT.toUpperCase()}/Command`, `${ROOT}/command`],
    [`${ROOT}/commands`, `${ROOT}/command`],
    [`${ROOT}/command/runenabled`, `${ROOT}/command/run-enabled`],
    [`/${ROOT}/#`, `${ROOT}/#`],
    [`/${ROOT}/Command/+`, `${ROOT}/command/+`],
    [`${ROOT}/command`, null],
    [`${ROOT}/command/#`, null],
    ['#', null],
    [`${ROOT}/status`, null],
    [`${ROOT}/vars/speed`, null],
    ['plant/rf-2/command', null],
    ['hall/lights', null],
  ])('D-65 a machine that subscribes to %j is told that %j was most likely meant', async (filter, meant) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1');
    expect(await client.subscribe([filter, 1])).toEqual([1]);
    const told = under.incidents.filter(({ kind }) => kind === 'unmatchedSubscription');
    expect(told).toEqual(
      meant === null
        ? []
        : [expect.objectContaining({ subject: 'RF-1', detail: expect.stringContaining(`did you mean ${meant}?`) })],
    );
  });

  it('MQTT-13 a will on a command topic or under another root is not published', async () => {
    const under = await stage.start();
    for (const topic of [`${ROOT}/command`, 'plant/rf-2/status', 'elsewhere']) {
      const client = await stage.connected(under.port, 'RF-1', {
        will: { topic, payload: Buffer.from('1'), qos: 0, retain: false },
      });
      client.drop();
      await client.untilClosed();
      await expect
        .poll(() => under.incidents.filter(({ kind }) => kind === 'forbiddenPublish').at(-1)?.detail)
        .toContain(topic);
    }
    expect(under.inbox.heard).toEqual([]);
  });

  it.each([
    ['known', 'stranger', undefined, 5],
    ['known', 'RF-1', undefined, 0],
    ['password', 'RF-1', undefined, 4],
    ['password', 'RF-1', 'wrong', 4],
    ['password', 'RF-1', 'secret-1', 0],
    ['password', 'RF-2', 'secret-1', 4],
    ['password', 'stranger', 'secret-1', 5],
  ] as const)(
    'MQTT-10 with access %s, %s with password %s is answered %d',
    async (access, clientId, password, code) => {
      const under = await stage.start({ access });
      const client = await stage.socket(under.port);
      const credentials = password === undefined ? {} : { username: clientId, password: Buffer.from(password) };
      client.send(connectOf(clientId, credentials));
      expect((await client.next('connack')).returnCode).toBe(code);
      if (code !== 0) await client.untilClosed();
    },
  );

  it('MQTT-11 TLS with client certificates lets in no client without a certificate of our authority', async () => {
    const pem = (name: string) => readFileSync(path.join(import.meta.dirname, 'certificates', name));
    const ca = pem('authority.pem');
    const tls = {
      port: 0,
      identity: 'none' as const,
      cert: pem('server.pem'),
      key: pem('server.key'),
      ca,
      requestCert: true,
      rejectUnauthorized: true,
      pace: vi.fn(new Handshakes().pace),
    };
    const under = await stage.start({ tls });
    expect(tls.pace).toHaveBeenCalledOnce();
    const url = `mqtts://localhost:${under.tlsPort}`;
    const client = await connectAsync(url, {
      ca,
      cert: pem('client.pem'),
      key: pem('client.key'),
      clientId: 'RF-1',
      reconnectPeriod: 0,
    });
    await client.subscribeAsync(`${ROOT}/command`, { qos: 1 });
    const answered = new Promise<string>((resolve) =>
      client.on('message', (_topic, payload) => resolve(payload.toString())),
    );
    await client.publishAsync(`${ROOT}/status`, '{}', { qos: 1 });
    expect(JSON.parse(await answered)).toMatchObject(MAY_RUN);
    await client.endAsync();
    await expect(connectAsync(url, { ca, reconnectPeriod: 0, connectTimeout: 2_000 }, false)).rejects.toThrow();
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'accessRefused' }));
  });

  it('MQTT-11 a client certificate of another authority is refused with that cause', async () => {
    const pem = (name: string) => readFileSync(path.join(import.meta.dirname, 'certificates', name));
    const server = { cert: pem('server.pem'), key: pem('server.key'), ca: pem('expires-first.pem') };
    const tls = {
      ...server,
      port: 0,
      identity: 'none' as const,
      requestCert: true,
      rejectUnauthorized: true,
      pace: new Handshakes().pace,
    };
    const under = await stage.start({ tls });
    const own = { ca: pem('authority.pem'), cert: pem('client.pem'), key: pem('client.key') };
    const client = connectAsync(
      `mqtts://localhost:${under.tlsPort}`,
      { ...own, reconnectPeriod: 0, connectTimeout: 2_000 },
      false,
    );
    await expect(client).rejects.toThrow();
    const detail = expect.stringContaining('not signed by an authority in mqtt.tls.ca');
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'accessRefused', detail }));
  });
});

describe('bad input', () => {
  it.each([
    ['before CONNECT', false],
    ['after CONNECT', true],
  ])('MQTT-12 a packet above mqtt.maxPacketBytes %s closes its own connection at once', async (_when, first) => {
    const under = await stage.start({ maxPacketBytes: 1_024 });
    const bystander = await stage.device(under);
    const client = first ? await stage.connected(under.port, 'big') : await stage.socket(under.port);
    client.sendBytes(first ? 0x30 : 0x10, 0xff, 0xff, 0x7f);
    await client.untilClosed();
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'packetTooLarge' }));
    bystander.publish(`${ROOT}/status`, '{}', 1);
    await commands(bystander, 5);
  });

  it('a subscriber that stops reading delays no machine, and is named', async () => {
    const under = await stage.start();
    const stuck = await stage.connected(under.port, 'stuck');
    await stuck.subscribe(['#', 0]);
    stuck.socket.pause();
    const client = await stage.device(under);
    const filler = 'x'.repeat(60_000);
    for (let count = 0; count < 400; count++) {
      client.publish(`${ROOT}/note`, filler, 1, false, count + 1);
      await client.next('puback');
    }
    client.publish(`${ROOT}/status`, '{}', 1, false, 500);
    await commands(client, 5);
    const slowReader = expect.objectContaining({ kind: 'slowReader', subject: 'stuck' });
    await expect.poll(() => under.incidents, { timeout: 20_000 }).toContainEqual(slowReader);
  });

  it('a change of the plant cuts off machines that were removed and lets new ones in', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    under.broker.configure([{ machineId: knownMachine('RF-3'), topicRoot: 'plant/rf-3', mqttPasswordHash: null }], []);
    await client.untilClosed();
    const fresh = await stage.connected(under.port, 'RF-3');
    await fresh.subscribe(['plant/rf-3/command', 1]);
    fresh.publish('plant/rf-3/status', '{}', 1);
    await fresh.next('publish');
  });
});
