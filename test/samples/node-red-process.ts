/**
 * Runs the Node-RED flow for a device of the tests. The first word is `bare`: without Node-RED, its unchanged function
 * nodes, and its MQTT nodes with their settings; or `node-red`: in Node-RED itself, without its editor.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import vm from 'node:vm';
import { connect } from 'mqtt';
import { NODE_RED } from '../this-computer.ts';

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

/** The parts of Node-RED that are used here. */
interface NodeRed {
  readonly init: (server: object, settings: object) => void;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly hooks: { readonly add: (name: string, act: (event: Received) => void) => void };
}

interface Received {
  readonly destination: { readonly id: string };
  readonly msg: { readonly payload: Readonly<Record<string, unknown>> };
}

/** A decision of the flow in one line, as every sample prints it. */
function lineOf({ mayRun, warningLight, overrideLight, message }: Readonly<Record<string, unknown>>): string {
  return `run=${Number(mayRun)} light=${Number(warningLight)} override=${Number(overrideLight)} message=${message}`;
}

/** The flow with its own small Node-RED. */
function runBare(flow: readonly FlowNode[]): void {
  const broker = nodeOf(({ type }) => type === 'mqtt-broker');

  function nodeOf(fits: (node: FlowNode) => boolean): FlowNode {
    const found = flow.find(fits);
    if (found === undefined) throw new Error('the flow lacks a node');
    return found;
  }

  const text = (name: string) => String(broker[name]);
  const client = connect({
    host: text('broker'),
    port: Number(broker.port),
    protocolVersion: broker.protocolVersion === '5' ? 5 : 4,
    ...(broker.protocolVersion === '5' && { properties: { sessionExpiryInterval: Number(broker.sessionExpiry) } }),
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
}

/** The changes that a person makes after the import: the gateway's address, the version, the settings of the tab. */
function adapted(node: FlowNode): FlowNode {
  const { GATEWAY_HOST: broker, GATEWAY_PORT: port, MQTT_VERSION } = process.env;
  const version = MQTT_VERSION === '3.1.1' ? { protocolVersion: '4' } : {};
  if (node.type === 'mqtt-broker') return { ...node, broker, port, ...version };
  if (node.type !== 'tab') return node;
  const names = ['MACHINE_ID', 'OVERRIDE_AFTER_MS'];
  return { ...node, env: names.map((name) => ({ name, value: process.env[name], type: 'str' })) };
}

async function runInNodeRed(flow: readonly FlowNode[]): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plantgate-node-red-'));
  writeFileSync(path.join(folder, 'flow.json'), JSON.stringify(flow));
  // Node-RED has no types here, because it is not among the packages of the project.
  const nodeRed = createRequire(import.meta.url)(NODE_RED) as NodeRed;
  nodeRed.init(createServer(), {
    userDir: folder,
    flowFile: 'flow.json',
    httpAdminRoot: false,
    httpNodeRoot: false,
    credentialSecret: false,
    // Node-RED waits 15 s; a test has less patience.
    mqttReconnectTime: 1_000,
    logging: { console: { level: 'warn', metrics: false, audit: false } },
  });
  nodeRed.hooks.add('onReceive.show', ({ destination, msg }) => {
    if (destination.id === 'pg-show') console.log(lineOf(msg.payload));
    if (destination.id === 'pg-show-reason') console.log(msg.payload);
  });
  await nodeRed.start();

  process.once('SIGTERM', async () => {
    await nodeRed.stop();
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
}

const [, , surroundings, file = ''] = process.argv;
const nodes: readonly FlowNode[] = JSON.parse(readFileSync(file, 'utf8'));
const flow = nodes.map(adapted);
if (surroundings === 'node-red') await runInNodeRed(flow);
else runBare(flow);
