import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../adapters/broker/raw-client.ts';
import { Program } from './program.ts';

const ROOT = 'plant1/rollformer-1';
const STATUS = { running: true, machinePower: true, override: false, cycle: 0, goodPart: 0, badPart: 0 };

let program: Program;

beforeAll(async () => {
  program = await Program.start();
});

afterAll(() => program.end());

async function connection(machineId = 'RF-01'): Promise<string> {
  return (await program.api('GET', `/machines/${machineId}`)).body.connection;
}

/** Publishes with QoS 1, and waits for the acknowledgement. */
async function publish(topic: string, payload: string, retain: boolean, clientId = 'RF-01'): Promise<void> {
  const client = await RawClient.connected(program.mqttPort, clientId, { clean: false });
  client.publish(topic, payload, 1, retain);
  await client.next('puback');
  client.end();
  await client.untilClosed();
}

async function killAndStart(plant?: string): Promise<void> {
  await program.kill();
  program = await Program.start({ dir: program.dir, ...(plant !== undefined && { plant }) });
}

describe('the shown connection', () => {
  it('MQTT-06 an acknowledged online or last will is shown after kill -9, each time', async () => {
    for (const [topic, text, shown] of [
      ['online', 'true', 'online'],
      ['lwt', 'false', 'offline'],
      // The retained message is the same as before, so only the machine's own state changes.
      ['online', 'true', 'online'],
      ['online', 'false', 'offline'],
    ] as const) {
      await publish(`${ROOT}/${topic}`, text, true);
      await killAndStart();
      expect(await connection()).toBe(shown);
    }
  });

  it.each(['MQTT', 'HTTP'])(
    'MQTT-06 a machine that was gone is online again with its next status over %s',
    async (way) => {
      await publish(`${ROOT}/lwt`, 'false', true);
      expect(await connection()).toBe('offline');
      const status = { machineId: 'RF-01', ...STATUS, mSecSinceBoot: 1_000 };
      if (way === 'HTTP') await program.device('status', status);
      else await publish(`${ROOT}/status`, JSON.stringify(status), false);
      expect(await connection()).toBe('online');
    },
  );

  it.each([
    ['RF-07', [['online', 'true']], 'online'],
    ['RF-08', [['lwt', 'false']], 'offline'],
    [
      'RF-09',
      [
        ['lwt', 'false'],
        ['online', 'true'],
      ],
      'online',
    ],
    [
      'RF-10',
      [
        ['online', 'true'],
        ['lwt', 'false'],
      ],
      'offline',
    ],
  ] as const)(
    'MQTT-06 %s, which is configured after its retained messages %j, is %s',
    async (machineId, messages, shown) => {
      for (const [topic, text] of messages) await publish(`late/${machineId}/${topic}`, text, true, machineId);
      const machine = { machineId, topicRoot: `late/${machineId}` };
      expect((await program.api('PUT', `/plant/machines/${machineId}`, machine)).status).toBeLessThan(300);
      expect(await connection(machineId)).toBe(shown);
    },
  );
});
