import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { connectAsync, type IClientOptions, type MqttClient, type Packet } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { works } from '../this-computer.ts';
import { Program } from './program.ts';

const run = promisify(execFile);
const ROOT = 'plant1/rollformer-1';
const STATUS = {
  machineId: 'RF-01',
  running: true,
  machinePower: true,
  override: false,
  mSecSinceBoot: 1_000,
  cycle: 5,
  goodPart: 5,
  badPart: 0,
};
const { goodPart: _, ...WITHOUT_GOOD_PART } = STATUS;
/** Refused: a required field has another name. */
const MISSPELT = JSON.stringify({ ...WITHOUT_GOOD_PART, goodParst: 5 });
const REASON = /goodParst.*did you mean goodPart\?/;

let program: Program;
beforeAll(async () => {
  program = await Program.start();
});
afterAll(() => program.end());

function connect(options: IClientOptions = {}): Promise<MqttClient> {
  return connectAsync({
    host: '127.0.0.1',
    port: program.mqttPort,
    protocolVersion: 5,
    clientId: 'RF-01',
    clean: false,
    reconnectPeriod: 0,
    properties: { sessionExpiryInterval: 86_400 },
    ...options,
  });
}

/** The next packet of a kind, as it came. */
function received(client: MqttClient, kind: Packet['cmd']): Promise<Packet> {
  return new Promise((resolve) => {
    client.on('packetreceive', (packet) => {
      if (packet.cmd === kind) resolve(packet);
    });
  });
}

describe('MQTT.js with MQTT 5', () => {
  it('P-CORRELATION, P-EXPIRY, P-CONTENT, P-CAUSE a status is answered by a command with its properties', async () => {
    const client = await connect();
    await client.subscribeAsync(`${ROOT}/command`, { qos: 1 });
    const answered = received(client, 'publish');
    const correlationData = Buffer.from('status 4711');
    await client.publishAsync(`${ROOT}/status`, JSON.stringify(STATUS), { qos: 1, properties: { correlationData } });
    expect(await answered).toMatchObject({
      topic: `${ROOT}/command`,
      properties: {
        correlationData,
        messageExpiryInterval: 60,
        contentType: 'application/json',
        payloadFormatIndicator: true,
        userProperties: { cause: 'noPart' },
      },
    });
    await client.endAsync();
  });

  it('P-REASON a misspelt field is refused by name; the reason string is in the packet; the connection goes on', async () => {
    const client = await connect();
    const acknowledged = received(client, 'puback');
    await expect(client.publishAsync(`${ROOT}/status`, MISSPELT, { qos: 1 })).rejects.toMatchObject({
      message: 'Publish error: Payload format invalid',
      code: 0x99,
    });
    expect(await acknowledged).toMatchObject({
      reasonCode: 0x99,
      properties: { reasonString: expect.stringMatching(REASON) },
    });
    await client.publishAsync(`${ROOT}/status`, JSON.stringify(STATUS), { qos: 1 });
    await client.endAsync();
  });

  it('P-TAKEOVER a client that another one pushes out reads who came in', async () => {
    const first = await connect();
    const told = received(first, 'disconnect');
    const closed = new Promise<void>((resolve) => first.on('close', () => resolve()));
    const second = await connect();
    expect(await told).toMatchObject({
      reasonCode: 0x8e,
      properties: { reasonString: expect.stringContaining('127.0.0.1') },
    });
    await closed;
    await second.endAsync();
  });
});

/** The commands of the guide at /docs under a heading, for this gateway and RF-01. */
async function guideLines(): Promise<readonly string[]> {
  const section = /## MQTT 5 \{#mqtt-5\}([\s\S]*?)\n## /.exec(readFileSync('docs/connect.md', 'utf8'))?.[1] ?? '';
  const values = { host: '127.0.0.1', mqttPort: program.mqttPort, topicRoot: ROOT, machineId: 'RF-01' };
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{{${name}}}`, `${value}`),
    section,
  );
  return filled.split('\n').filter((line) => line.startsWith('mosquitto_'));
}

describe.runIf(works('which', 'mosquitto_pub'))('mosquitto clients with MQTT 5', () => {
  it('P-REASON, P-EXPIRY, P-CAUSE the lines of the guide show the refusal, the lifetime and the cause', async () => {
    const [listen = '', refused = '', taken = ''] = await guideLines();
    expect([listen, refused, taken].map((line) => line.split(' ')[0])).toEqual([
      'mosquitto_sub',
      'mosquitto_pub',
      'mosquitto_pub',
    ]);
    const heard = run('bash', ['-c', `${listen.replace(/ &$/, '')} -C 1 -W 20`]);
    const shown = await run('bash', ['-c', `${refused} 2>&1`]);
    expect(shown.stdout).toContain('Payload format invalid');
    await run('bash', ['-c', `sleep 0.5; ${taken}`]);
    expect((await heard).stdout).toMatch(/^(?=.*cause:noPart)(?=.*\b60\b)(?=.*"message":"Part not selected")/);
  });
});
