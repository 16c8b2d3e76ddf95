import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { readLocalAccess } from '../../src/adapters/system/local-access.ts';
import { EXIT } from '../../src/cli/command-io.ts';
import { choosePort } from '../../src/cli/commands/demo/demo.ts';
import { DEFAULT_RULES, isFleetRule } from '../../src/domain/alert/alert-rule.ts';
import { errorMessage } from '../../src/domain/error-text.ts';
import type { GatewayView } from '../../src/flows/receive/gateway-view.ts';
import { LocalPostgres } from '../postgres/local-postgres.ts';
import { DEMO_GATEWAYS, DEMO_PLANTS, startDemoGateway } from './demo-plant.ts';
import { StartedProgram } from './started-program.ts';

/**
 * `npm run demo:central`: a central server on a PostgreSQL server of its own, and three gateways of two plants with
 * simulated machines and 35 days of history. All of it runs on this computer, until Ctrl-C, and leaves nothing behind.
 */

const DEFAULT_PORT = 8_080;
const DATABASE = 'plantgate';
const CENTRAL = 'central';
const READER = 'reader';
const PERSON = 'demo';
const PASSWORD_BYTES = 4;
const KEY_BYTES = 24;
const TOLD_EVERY_MS = 2_000;

interface Demo {
  readonly directory: string;
  readonly httpPort: number;
  readonly password: string;
  readonly signal: AbortSignal;
  /** To be called in reverse order. */
  readonly closers: (() => Promise<unknown>)[];
}

function tell(line: string): void {
  console.log(line);
}

/** Starts everything, and gives the lines about it. Rejects once the signal comes. */
async function start(demo: Demo): Promise<readonly string[]> {
  const { closers, signal } = demo;
  tell('starting PostgreSQL …');
  const postgres = await LocalPostgres.start({ isDurable: true });
  closers.push(() => postgres.end());
  const database = await postgres.createDatabase(DATABASE);
  signal.throwIfAborted();
  tell('starting the central server …');
  const plants = new Map(DEMO_PLANTS.map(({ id }) => [id, randomBytes(KEY_BYTES).toString('base64url')]));
  const people = `users: [ { name: ${PERSON}, role: admin, password: '${demo.password}' } ]\n`;
  const central = await StartedProgram.start(
    'central',
    await writeCentral(demo, database, plants, people),
    tellOf(demo),
  );
  closers.push(() => central.stop());
  await addReader(database);
  tell('writing 35 days of history, and starting the gateways …');
  const starting = DEMO_GATEWAYS.map(async (own) => {
    const upstream = { url: central.httpUrl, apiKey: plants.get(own.plant) ?? '' };
    const gateway = await startDemoGateway(own, { directory: demo.directory, people, upstream, tell: tellOf(demo) });
    closers.push(() => gateway.stop());
    return `  ${own.gatewayId}    ${gateway.httpUrl}/#${PERSON}:${demo.password}   (${own.plant})`;
  });
  // One that has started has to be ended, even if another one does not start.
  await Promise.allSettled(starting);
  const lines = await Promise.all(starting);
  signal.throwIfAborted();
  return [
    ...invitation(central.httpUrl, demo.password, new URL(database)),
    ...lines,
    '',
    '  Ctrl-C ends all of it.',
    '',
  ];
}

/** What a program says while it is stopped is of no use. */
function tellOf({ signal }: Demo): (line: string) => void {
  return (line) => {
    if (!signal.aborted) tell(line);
  };
}

/** Gives the configuration file. */
async function writeCentral(
  { directory, httpPort }: Demo,
  database: string,
  plants: ReadonlyMap<string, string>,
  people: string,
): Promise<string> {
  const dataDir = path.join(directory, CENTRAL);
  await mkdir(dataDir);
  const plant = path.join(dataDir, 'plant.yaml');
  const file = path.join(dataDir, 'plantgate.yaml');
  const keys = DEMO_PLANTS.map(({ id, principal }) => ({
    principal,
    key: plants.get(id),
    role: 'gateway',
    plants: [id],
  }));
  const names = DEMO_PLANTS.map(({ id, name }) => ({ id, name }));
  await writeFile(plant, `${people}apiKeys: ${JSON.stringify(keys)}\n`);
  const settings = { gatewayId: CENTRAL, dataDir, plant, plants: names, http: { port: httpPort } };
  await writeFile(file, JSON.stringify({ ...settings, storage: { postgres: { url: database } } }));
  return file;
}

/** Switches the rules of alerts about gateways on. Until each has told its backup, it would count as one without any. */
async function watchGateways({ directory, signal }: Demo): Promise<void> {
  const { url, key } = await readLocalAccess(path.join(directory, CENTRAL));
  const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' };
  const gateways = async () => (await (await fetch(`${url}/api/local/gateways`, { headers })).json()) as GatewayView[];
  const isTold = ({ health }: GatewayView) => (health?.backup?.newestAt ?? null) !== null;
  while ((await gateways()).filter(isTold).length < DEMO_GATEWAYS.length) await delay(TOLD_EVERY_MS, null, { signal });
  for (const { ruleId, ...rule } of DEFAULT_RULES.filter(isFleetRule)) {
    const body = JSON.stringify({ ...rule, isOn: true });
    const { ok, status } = await fetch(`${url}/api/local/alerts/rules/${ruleId}`, { method: 'PUT', headers, body });
    if (!ok) throw new Error(`the rule ${ruleId} was not switched on: ${status}`);
  }
  tell('  Alerts about the gateways are on: one that is silent for a minute raises one.');
}

async function addReader(database: string): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  await client.query(`CREATE ROLE ${READER} LOGIN IN ROLE plantgate_reader`);
  await client.end();
}

function invitation(httpUrl: string, password: string, database: URL): readonly string[] {
  const reader = `postgres://${READER}@${database.host}/${DATABASE}`;
  return [
    '',
    `  the page   ${httpUrl}/#${PERSON}:${password}`,
    `             or sign in as ${PERSON}, password ${password}`,
    '',
    '  The history of the gateways arrives within a minute. Look at it in SQL:',
    `    psql ${reader} -c 'SELECT gateway_id, sum(good_parts) FROM plantgate.production GROUP BY 1'`,
    `  Grafana: a data source of the kind PostgreSQL with host ${database.host}, database ${DATABASE}, user ${READER}, no`,
    '  password, TLS/SSL mode "disable"; then import docs/monitoring/plantgate-*.json (docs/monitoring/README.md).',
    '',
    '  The gateways:',
  ];
}

async function run(port: number | null, signal: AbortSignal): Promise<number> {
  const io = { stdout: tell, stderr: console.error };
  const httpPort = await choosePort('--port', port, DEFAULT_PORT, io);
  if (httpPort === null) return EXIT.cannotCreate;
  const directory = await mkdtemp(path.join(tmpdir(), 'plantgate-demo-central-'));
  const closers = [() => rm(directory, { recursive: true, force: true })];
  const demo = { directory, httpPort, signal, closers, password: randomBytes(PASSWORD_BYTES).toString('hex') };
  try {
    for (const line of await start(demo)) tell(line);
    await watchGateways(demo);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    tell('ending …');
    for (const close of closers.reverse()) await close();
  }
  tell('demo ended, its data is removed');
  return EXIT.done;
}

const stop = new AbortController();
// npm passes Ctrl-C on to its program, which has it from the terminal already: a second one changes nothing.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
const { values } = parseArgs({ options: { port: { type: 'string' } } });
process.exitCode = await run(values.port === undefined ? null : Number(values.port), stop.signal).catch((error) => {
  console.error(errorMessage(error));
  return EXIT.internal;
});
