import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fillQueue, type Outage } from './forward-data.ts';
import { machineName, topicRoot } from './load-plan.ts';
import { underRealTime } from './real-time.ts';
import { fillWarehouse, warehouseYaml } from './warehouse-data.ts';

const GATEWAY = 'plantgate';
const root = path.resolve(import.meta.dirname, '../..');

/** A server under load, in a process of its own. */
export interface Target {
  readonly name: string;
  readonly pid: number;
  readonly mqttPort: number;
  readonly httpPort: number;
  /** Whether it reports its event loop at `/metrics`. */
  readonly hasMetrics: boolean;
  stop(): Promise<void>;
}

function started(name: string, child: ChildProcess, cleanUp: () => void): Promise<Target> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready`)));
    if (child.stdout === null || child.pid === undefined) throw new Error(`${name} did not start`);
    const { pid } = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('"level":"error"')) process.stderr.write(`${line}\n`);
      if (!line.includes('"msg":"ready"')) return;
      const { mqttPort, httpPort } = JSON.parse(line) as { readonly mqttPort: number; readonly httpPort: number };
      const stop = () =>
        new Promise<void>((ended) => {
          child.removeAllListeners('exit');
          child.once('exit', () => {
            cleanUp();
            ended();
          });
          child.kill('SIGTERM');
        });
      resolve({ name, pid, mqttPort, httpPort, hasMetrics: name === GATEWAY, stop });
    });
  });
}

function run(args: readonly string[], program: readonly string[], underneath: readonly string[]): ChildProcess {
  const [command = process.execPath, ...rest] = [...underneath, ...program, ...args];
  return spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'], cwd: root });
}

function plantYaml(machines: number): string {
  const lines = Array.from({ length: machines }, (_, index) => {
    const claims = '[ service.machine.warehouse ]';
    return `  - { machineId: ${machineName(index)}, topicRoot: ${topicRoot(index)}, variables: [ speed ], claims: ${claims} }`;
  });
  return `machines:\n${lines.join('\n')}\nparts: [ { partId: P-100, partName: Panel 100 } ]\n`;
}

/** The gateway with everything on and a large warehouse. */
export function startWithWarehouse(machines: number, binary: string | null): Promise<Target> {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-bench-'));
  fillWarehouse(path.join(dir, 'data'), machines);
  return startIn(dir, plantYaml(machines) + warehouseYaml(), binary);
}

const GATEWAY_ID = 'bench-floor';
/** The port of Discard (RFC 863), on which no program listens. */
const NOBODYS_PORT = 9;
export const GATEWAY_KEY = 'bench-gateway-key-0123456789';
export const VIEWER_KEY = 'bench-viewer-key-01234567890';

/** A gateway with an outage behind it, which looks for its central server on that port. */
export function startAfterOutage(outage: Outage, centralPort: number, binary: string | null): Promise<Target> {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-bench-'));
  fillQueue(path.join(dir, 'data'), GATEWAY_ID, outage);
  const upstream = `{ url: "http://127.0.0.1:${centralPort}/", apiKey: ${GATEWAY_KEY} }`;
  const keys = `apiKeys: [ { principal: bench, key: ${GATEWAY_KEY}, role: admin } ]\n`;
  const settings = `gatewayId: ${GATEWAY_ID}\nupstream: ${upstream}\n`;
  return startIn(dir, plantYaml(outage.machines) + keys, binary, settings);
}

/** A gateway that queues everything for a central server that never existed. */
export function startQueueing(machines: number, binary: string | null): Promise<Target> {
  const upstream = `{ url: "http://127.0.0.1:${NOBODYS_PORT}/", apiKey: ${GATEWAY_KEY} }`;
  return startIn(
    mkdtempSync(path.join(tmpdir(), 'plantgate-bench-')),
    plantYaml(machines),
    binary,
    `upstream: ${upstream}\n`,
  );
}

/** A separate computer would have its own processors: here it gets the time that the gateway leaves. */
const ELSEWHERE = ['nice', '-n', '19'];

/** A central server that is a plantgate, on that port. */
export function startCentral(port: number, binary: string | null): Promise<Target> {
  const keys = `apiKeys: [ { principal: bench, key: ${GATEWAY_KEY}, role: business } ]\n`;
  return startIn(mkdtempSync(path.join(tmpdir(), 'plantgate-bench-')), keys, binary, '', port, ELSEWHERE);
}

/** A central server on PostgreSQL, with a key for gateways and one for people. */
export function startCentralOn(postgresUrl: string, binary: string | null): Promise<Target> {
  const gateways = `{ principal: bench, key: ${GATEWAY_KEY}, role: gateway }`;
  const people = `{ principal: office, key: ${VIEWER_KEY}, role: viewer }`;
  const storage = `storage: { postgres: { url: "${postgresUrl}" } }\n`;
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-bench-'));
  return startIn(dir, `apiKeys: [ ${gateways}, ${people} ]\n`, binary, storage, 0, [], 'central');
}

/**
 * The depth of such a gateway's queue. Rejects if the central server refused a record, because the measurement would
 * then be one of refusals.
 */
export async function queueDepth({ httpPort }: Target): Promise<number> {
  const headers = { authorization: `ApiKey ${GATEWAY_KEY}` };
  const answer = await fetch(`http://127.0.0.1:${httpPort}/api/local/sync`, { headers });
  if (!answer.ok) throw new Error(`/api/local/sync: ${answer.status}`);
  const { queue, setAside } = (await answer.json()) as {
    readonly queue: { readonly depth: number };
    readonly setAside: readonly { readonly reason: string }[];
  };
  if (setAside[0] !== undefined) throw new Error(`the central server refused a record: ${setAside[0].reason}`);
  return queue.depth;
}

/** The gateway with a key for each page: one key may open few event streams. */
export function startForPages(machines: number, keys: readonly string[], binary: string | null): Promise<Target> {
  const apiKeys = keys.map((key, place) => ({ principal: `page-${place}`, key, role: 'technician' }));
  const plant = `${plantYaml(machines)}apiKeys: ${JSON.stringify(apiKeys)}\n`;
  return startIn(mkdtempSync(path.join(tmpdir(), 'plantgate-bench-')), plant, binary);
}

/** The gateway with everything on, as `npm start` runs it, or the binary given. */
export function startPlantgate(machines: number, binary: string | null): Promise<Target> {
  return startIn(mkdtempSync(path.join(tmpdir(), 'plantgate-bench-')), plantYaml(machines), binary);
}

function startIn(
  dir: string,
  plant: string,
  binary: string | null,
  settings = '',
  httpPort = 0,
  underneath: readonly string[] = underRealTime('gateway'),
  command: 'run' | 'central' = 'run',
): Promise<Target> {
  writeFileSync(path.join(dir, 'plant.yaml'), plant);
  const config = path.join(dir, 'plantgate.yaml');
  writeFileSync(
    config,
    `plant: ./plant.yaml\nhttp: { host: 127.0.0.1, port: ${httpPort} }\nmqtt: { host: 127.0.0.1, port: 0 }\n${settings}`,
  );
  const cleanUp = () => rmSync(dir, { recursive: true, force: true });
  const args = [command, '--config', config];
  const program = binary === null ? [process.execPath, ...startWords()] : [binary];
  return started(GATEWAY, run(args, program, underneath), cleanUp);
}

/** The words that `npm start` gives node. */
function startWords(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  // The words that follow the build of the page.
  return (scripts.start.split('exec node ')[1] ?? '').split(' ');
}

/**
 * Plain servers for comparison, from libraries or only from sockets: `bare-aedes` and `bare-sockets` answer over MQTT,
 * `bare-http` over HTTP.
 */
export function startBare(name: 'bare-aedes' | 'bare-sockets' | 'bare-http'): Promise<Target> {
  return started(
    name,
    run([path.join(import.meta.dirname, `${name}.ts`)], [process.execPath], underRealTime('gateway')),
    () => undefined,
  );
}
