import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalAccess, readLocalAccess } from '../../../adapters/system/local-access.ts';
import { exhibition } from '../../../simulator/machine/exhibits.ts';
import type { SimulatedMachine } from '../../../simulator/machine/machine-design.ts';
import { simulatedMachines } from '../../../simulator/machine/rolling-line.ts';
import { startCrew } from '../../../simulator/people/crew.ts';
import { startForklift } from '../../../simulator/people/forklift.ts';
import { startOffice } from '../../../simulator/people/office.ts';
import { samplePlant } from '../../../simulator/plant/sample-plant.ts';
import { seededRandom } from '../../../simulator/random.ts';
import { startSimulation } from '../../../simulator/simulation.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { numberOption } from '../../number-option.ts';
import { DEFAULT_MACHINES, MACHINES_RULE, MAX_TOLD_MACHINES } from './simulate.ts';
import { tellProgress } from './simulation-progress.ts';

/** The options as typed; undefined for an option that is not given. */
export interface DemoOptions {
  readonly machines?: string | undefined;
  readonly port?: string | undefined;
  readonly mqttPort?: string | undefined;
}

/** The differences from the built-in configuration (contract.md, Configuration). */
export interface DemoConfig {
  readonly gatewayId: string;
  readonly dataDir: string;
  readonly http: { readonly port: number };
  readonly mqtt: { readonly port: number };
  readonly legacyAgent: { readonly kind: 'simulated' };
}

export interface DemoGateway {
  readonly httpUrl: string;
  readonly mqttUrl: string;
  readonly dataDir: string;
  close(): Promise<void>;
}

/** Starts a gateway with this configuration, the text of a plant file, and a past of these machines. */
export type StartGateway = (
  config: DemoConfig,
  plantText: string,
  withHistory: readonly SimulatedMachine[],
) => Promise<DemoGateway>;

const DEFAULT_HTTP_PORT = 8_080;
const DEFAULT_MQTT_PORT = 1_883;
const ANY_FREE_PORT = 0;
/** Further machines of a large demo have no past: it would take too long to write. */
const MAX_MACHINES_WITH_HISTORY = 12;
/** The person who signs in at the demo's page. The password is new each time, because the port is open to the network. */
const PERSON = 'demo';
const PASSWORD_BYTES = 4;

/**
 * `plantgate demo`: a gateway on a throw-away data directory with a sample plant, and simulated machines and a crew
 * that keep it alive, until the signal. Gives the exit code: 0, 64 for wrong arguments, 73 if a requested port is
 * taken.
 */
export async function runDemo(options: DemoOptions, io: CommandIo, startGateway: StartGateway): Promise<number> {
  const machines = numberOption(options.machines, MACHINES_RULE, DEFAULT_MACHINES);
  const http = numberOption(options.port, { name: '--port', min: 0, max: 65_535, kind: 'whole' }, null);
  const mqtt = numberOption(options.mqttPort, { name: '--mqtt-port', min: 0, max: 65_535, kind: 'whole' }, null);
  if (!machines.ok || !http.ok || !mqtt.ok) {
    for (const option of [machines, http, mqtt]) if (!option.ok) io.stderr(option.sentence);
    return EXIT.usage;
  }
  const httpPort = await choosePort('--port', http.value, DEFAULT_HTTP_PORT, io);
  const mqttPort = await choosePort('--mqtt-port', mqtt.value, DEFAULT_MQTT_PORT, io);
  if (httpPort === null || mqttPort === null) return EXIT.cannotCreate;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'plantgate-demo-'));
  try {
    const config: DemoConfig = {
      gatewayId: 'demo',
      dataDir,
      http: { port: httpPort },
      mqtt: { port: mqttPort },
      legacyAgent: { kind: 'simulated' },
    };
    const password = randomBytes(PASSWORD_BYTES).toString('hex');
    const people = `users: [ { name: ${PERSON}, role: supervisor, password: '${password}' } ]\n`;
    const past = simulatedMachines(Math.min(machines.value, MAX_MACHINES_WITH_HISTORY), { timeScale: 1 });
    const gateway = await startGateway(config, samplePlant(machines.value) + people, past);
    await liveUntilSignal(gateway, machines.value, password, io);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  io.stdout('demo ended, its data is removed');
  return EXIT.done;
}

async function liveUntilSignal(gateway: DemoGateway, count: number, password: string, io: CommandIo): Promise<void> {
  try {
    const access = await readLocalAccess(gateway.dataDir);
    const log = (line: string) => {
      if (count <= MAX_TOLD_MACHINES) io.stdout(line);
    };
    for (const line of invitation(gateway, access, password)) io.stdout(line);
    const { httpUrl, mqttUrl } = gateway;
    const { machines, leftAlone } = exhibition(simulatedMachines(count));
    const simulation = startSimulation({ httpUrl, mqttUrl, machines, log });
    const stopOf = (machineId: string) => simulation.state(machineId)?.lastStop ?? null;
    const people = { httpUrl, key: access.key, random: seededRandom(1), log };
    const [first, ...others] = machines.map(({ machineId }) => machineId);
    const workers = [
      startCrew({ ...people, stopOf, leftAlone }),
      startOffice(people),
      ...(first === undefined ? [] : [startForklift({ ...people, machineIds: [first, ...others] })]),
    ];
    await tellProgress(simulation, io);
    for (const worker of workers) worker.stop();
    await simulation.stop();
  } finally {
    await gateway.close();
  }
}

/** The port to use; null, with a sentence on stderr, if the requested one is not available. */
export async function choosePort(
  name: string,
  asked: number | null,
  standard: number,
  io: Pick<CommandIo, 'stdout' | 'stderr'>,
): Promise<number | null> {
  const wanted = asked ?? standard;
  const fault = wanted === ANY_FREE_PORT ? null : await portFault(wanted);
  if (fault === null) return wanted;
  if (asked === null) {
    io.stdout(`port ${standard} cannot be had (${fault}), a free one is taken instead of it`);
    return ANY_FREE_PORT;
  }
  io.stderr(`${name} ${asked} cannot be had: ${fault}`);
  return null;
}

function portFault(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'another program has it' : error.message),
    );
    probe.listen(port, '0.0.0.0', () => probe.close(() => resolve(null)));
  });
}

const NEW_MACHINE = '{"machineId":"MY-01","name":"My machine","topicRoot":"plant1/my-machine"}';
const NEW_STATUS =
  '{"machineId":"MY-01","running":true,"machinePower":true,"override":false,"mSecSinceBoot":1000,"cycle":1,"goodPart":1,"badPart":0,"partId":"P-100"}';
/** The shell counts `n`, as a controller counts its time and parts. */
const GROWING_STATUS = NEW_STATUS.replace(':1000', `:'$((n*1000))'`).replace('"goodPart":1', `"goodPart":'$n'`);

function invitation({ httpUrl, mqttUrl }: DemoGateway, { key }: LocalAccess, password: string): readonly string[] {
  const mqttPort = new URL(mqttUrl).port;
  const curl = `curl -s -H 'Authorization: ApiKey ${key}'`;
  return [
    '',
    `  the page   ${httpUrl}/#${PERSON}:${password}`,
    `             or sign in as ${PERSON}, password ${password}`,
    `  MQTT       ${mqttUrl}`,
    '',
    '  Connect a machine of your own: name it, let it send, and see it on the page:',
    `    ${curl} ${httpUrl}/api/local/plant/machines -H 'Content-Type: application/json' -d '${NEW_MACHINE}'`,
    `    mosquitto_pub -p ${mqttPort} -q 1 -t plant1/my-machine/status -m '${NEW_STATUS}'`,
    '  One message lets it run for 10 s. Let it send each second, and hear in another terminal what it is told:',
    `    for n in $(seq 2 300); do mosquitto_pub -p ${mqttPort} -q 1 -t plant1/my-machine/status -m '${GROWING_STATUS}'; sleep 1; done`,
    `    mosquitto_sub -p ${mqttPort} -t 'plant1/my-machine/#' -v`,
    '  Hear all machines:',
    `    mosquitto_sub -p ${mqttPort} -t '#' -v`,
    '  Ask the gateway:',
    `    ${curl} ${httpUrl}/api/local/machines`,
    `    ${curl} ${httpUrl}/api/local/machines/RF-01/production`,
    `    ${curl} '${httpUrl}/api/local/machines/RF-01/downtimes?uncategorized=true'`,
    `    ${curl} ${httpUrl}/api/v1/profiles`,
    `    ${curl} ${httpUrl}/api/v1/orders/orderSummary`,
    '  See what the forklift does, and take a task yourself:',
    `    ${curl} '${httpUrl}/api/v1/warehouseTasks?onlyIncomplete=true'`,
    '  Read about the interfaces, and look a coil up:',
    `    ${httpUrl}/docs`,
    `    ${curl} '${httpUrl}/api/v1/coils/search?materialType=Galvalume&sort=-lengthRemainingFt'`,
    '  Fetch profiles as a machine does:',
    `    curl -s -u SN-0001:reg-secret-1 ${httpUrl}/api/machine/profiles`,
    '  Take the part from a machine, and see it held:',
    `    ${curl} -X DELETE ${httpUrl}/api/local/machines/RF-01/part`,
    '  Hear what a device is told whose status is incomplete:',
    `    curl -s -H 'Content-Type: application/json' ${httpUrl}/api/device/status -d '{"machineId":"RF-01"}'`,
    '  Ctrl-C ends the demo and removes its data.',
    '',
  ];
}
