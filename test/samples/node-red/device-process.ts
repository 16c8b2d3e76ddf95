/** Runs the Node-RED flow without Node-RED: its unchanged function nodes, and its MQTT nodes with their settings. */
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { connect } from 'mqtt';
import { lineOf } from './shown.ts';

interface FlowNode {
  readonly id: string;
  readonly type: string;
  readonly topic?: string;
  readonly func?: string;
  readonly repeat?: string;
  readonly wires?: readonly (readonly string[])[];
  readonly [setting: string]: unknown;
}

interface Message {
  readonly topic?: string;
  readonly payload?: unknown;
}

const [, , file = ''] = process.argv;
const flow: readonly FlowNode[] = JSON.parse(readFileSync(file, 'utf8'));
const broker = nodeOf(({ type }) => type === 'mqtt-broker');

function nodeOf(fits: (node: FlowNode) => boolean): FlowNode {
  const found = flow.find(fits);
  if (found === undefined) throw new Error(`${file} lacks a node`);
  return found;
}

const text = (name: string) => String(broker[name]);
const client = connect({
  host: process.env.GATEWAY_HOST ?? '',
  port: Number(process.env.GATEWAY_PORT),
  clientId: text('clientid'),
  clean: broker.cleansession === true,
  keepalive: Number(broker.keepalive),
  // Node-RED waits 15 s (mqttReconnectTime); a test has less patience.
  reconnectPeriod: 1_000,
  queueQoSZero: false,
  will: { topic: text('willTopic'), payload: Buffer.from(text('willPayload')), qos: 1, retain: true },
});
client.on('error', () => undefined);
client.on('connect', () => client.publish(text('birthTopic'), text('birthPayload'), { qos: 1, retain: true }));
const command = nodeOf(({ type }) => type === 'mqtt in');
client.on('connect', () => client.subscribe(String(command.topic), { qos: 1 }));
client.on('message', (topic, payload) => send(command, 0, { topic, payload: payload.toString() }));

const memories = new Map<string, Map<string, unknown>>();

function run({ id, func = '' }: FlowNode, msg: Message): readonly (Message | null)[] {
  const memory = memories.get(id) ?? new Map<string, unknown>();
  memories.set(id, memory);
  const given = vm.runInNewContext(`(function () {\n${func}\n})()`, {
    msg: structuredClone(msg),
    context: {
      get: (name: string) => memory.get(name),
      set: (name: string, value: unknown) => memory.set(name, value),
    },
    env: { get: (name: string) => process.env[name] },
    node: { warn: () => undefined },
  });
  return Array.isArray(given) ? given : [given];
}

function send({ wires = [] }: FlowNode, output: number, msg: Message | null): void {
  if (msg === null) return;
  for (const id of wires[output] ?? [])
    take(
      nodeOf((node) => node.id === id),
      msg,
    );
}

function take(node: FlowNode, msg: Message): void {
  if (node.type === 'function') {
    run(node, msg).forEach((given, output) => {
      send(node, output, given);
    });
  } else if (node.type === 'mqtt out') {
    if (client.connected) client.publish(String(node.topic), JSON.stringify(msg.payload), { qos: 1 });
  } else console.log(lineOf(msg.payload as Readonly<Record<string, unknown>>));
}

const tick = nodeOf(({ type }) => type === 'inject');
setInterval(() => send(tick, 0, { topic: String(tick.topic) }), Number(tick.repeat) * 1_000);

process.once('SIGTERM', async () => {
  await client.publishAsync(text('closeTopic'), text('closePayload'), { qos: 1, retain: true });
  await client.endAsync();
  process.exit(0);
});
