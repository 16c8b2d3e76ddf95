/** Runs the Node-RED flow in Node-RED itself, without its editor: a process for a device of the tests. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NODE_RED } from './installed.ts';
import { lineOf } from './shown.ts';

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

const [, , file = ''] = process.argv;
const flow: readonly Readonly<Record<string, unknown>>[] = JSON.parse(readFileSync(file, 'utf8'));

/** The changes that a person makes after the import: the address of the gateway, and the settings of the tab. */
function adapted(node: Readonly<Record<string, unknown>>): object {
  if (node.type === 'mqtt-broker') return { ...node, broker: process.env.GATEWAY_HOST, port: process.env.GATEWAY_PORT };
  if (node.type !== 'tab') return node;
  const names = ['MACHINE_ID', 'OVERRIDE_AFTER_MS'];
  return { ...node, env: names.map((name) => ({ name, value: process.env[name], type: 'str' })) };
}

const folder = mkdtempSync(path.join(tmpdir(), 'plantgate-node-red-'));
writeFileSync(path.join(folder, 'flow.json'), JSON.stringify(flow.map(adapted)));
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
});
await nodeRed.start();

process.once('SIGTERM', async () => {
  await nodeRed.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
