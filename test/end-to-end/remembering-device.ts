import { connectAsync, type MqttClient } from 'mqtt';
import { type Json, PLANT, type Program, statusOf } from './program.ts';

/** Tests share gateways, so each test has machines of its own: it finds nothing of another test. */
export const MACHINE_IDS = Array.from({ length: 7 }, (_, index) => `RF-0${index + 1}`);
export const SHARED_PLANT = PLANT.replace(/^machines:\n( {2}- .*\n)+/m, () => {
  const machines = MACHINE_IDS.map(
    (id) => `{ machineId: ${id}, topicRoot: ${rootOf(id)}, variables: [ lineSpeed, motorTemp ] }`,
  );
  return `machines:\n${machines.map((machine) => `  - ${machine}\n`).join('')}`;
});
export function rootOf(machineId: string): string {
  return machineId.replace('RF-0', 'plant1/rollformer-');
}

interface Heard {
  readonly topic: string;
  readonly text: string;
  readonly at: number;
}

/** A device over real MQTT that remembers every command with its time. */
export class Device {
  readonly client: MqttClient;
  readonly heard: Heard[] = [];
  readonly #machineId: string;

  private constructor(client: MqttClient, machineId: string) {
    this.client = client;
    this.#machineId = machineId;
    client.on('message', (topic, payload) =>
      this.heard.push({ topic, text: payload.toString(), at: performance.now() }),
    );
  }

  static async connect(program: Program, machineId = 'RF-01'): Promise<Device> {
    const client = await connectAsync(`mqtt://127.0.0.1:${program.mqttPort}`, {
      clientId: machineId,
      clean: false,
      reconnectPeriod: 0,
    });
    const device = new Device(client, machineId);
    const topics = ['', '/run-enabled', '/attention-needed'].map((name) => `${device.commandTopic}${name}`);
    await client.subscribeAsync(topics, { qos: 1 });
    return device;
  }

  get commandTopic(): string {
    return `${rootOf(this.#machineId)}/command`;
  }

  command(): Json {
    return JSON.parse(this.heard.findLast(({ topic }) => topic === this.commandTopic)?.text ?? 'null');
  }

  publish(suffix: string, payload: string, retain = false): Promise<unknown> {
    return this.client.publishAsync(`${rootOf(this.#machineId)}/${suffix}`, payload, { qos: 1, retain });
  }

  status(more: object = {}): Promise<unknown> {
    return this.publish('status', JSON.stringify(statusOf({ machineId: this.#machineId, ...more })));
  }
}
