import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readLocalAccess } from '../../src/adapters/system/local-access.ts';
import { createLog } from '../../src/adapters/system/log.ts';
import { writeDemoHistory } from '../../src/cli/commands/demo/demo-gateway.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { FIRST_PLANT } from '../../src/domain/plant/plant-scope.ts';
import { simulatedMachines } from '../../src/simulator/machine/rolling-line.ts';
import { startCrew } from '../../src/simulator/people/crew.ts';
import { samplePlant } from '../../src/simulator/plant/sample-plant.ts';
import { SAMPLE_SHIFTS } from '../../src/simulator/plant/sample-shifts.ts';
import { seededRandom } from '../../src/simulator/random.ts';
import { startSimulation } from '../../src/simulator/simulation.ts';
import { threadEntry } from '../../src/threads.ts';
import { StartedProgram } from './started-program.ts';

/** The plants of the demo, the first one under the id that the first plant of each server has. */
export const DEMO_PLANTS = [
  { id: FIRST_PLANT, name: 'North', principal: 'plant-north' },
  { id: 'south', name: 'South', principal: 'plant-south' },
];

/** A gateway of the demo. The key of its plant is its principal at the central server. */
export interface DemoGateway {
  readonly gatewayId: string;
  /** The id of its plant. */
  readonly plant: string;
  readonly machines: number;
  readonly seed: number;
}

export const DEMO_GATEWAYS: readonly DemoGateway[] = [
  { gatewayId: 'north-1', plant: FIRST_PLANT, machines: 4, seed: 11 },
  { gatewayId: 'north-2', plant: FIRST_PLANT, machines: 3, seed: 22 },
  { gatewayId: 'south-1', plant: 'south', machines: 3, seed: 33 },
];

export interface GatewayPlace {
  readonly directory: string;
  readonly people: string;
  readonly upstream: { readonly url: string; readonly apiKey: string };
  readonly tell: (line: string) => void;
}

export interface RunningGateway {
  readonly httpUrl: string;
  stop(): Promise<void>;
}

/** Starts a gateway with 35 days of history, which it sends to the central server, and machines that live on. */
export async function startDemoGateway(own: DemoGateway, place: GatewayPlace): Promise<RunningGateway> {
  const config = await writePast(own, place);
  const program = await StartedProgram.start('run', config, (line) => place.tell(`${own.gatewayId}: ${line}`));
  const { url, key } = await readLocalAccess(dataDirOf(own, place));
  await takeBackup(url, key);
  const { httpUrl, mqttUrl } = program;
  const machines = simulatedMachines(own.machines, { seed: own.seed });
  const log = () => undefined;
  const simulation = startSimulation({ httpUrl, mqttUrl, machines, log });
  const stopOf = (machineId: string) => simulation.state(machineId)?.lastStop ?? null;
  const crew = startCrew({ httpUrl, key, random: seededRandom(own.seed), log, stopOf });
  return {
    httpUrl,
    stop: async () => {
      crew.stop();
      await simulation.stop();
      await program.stop();
    },
  };
}

/** Takes a verified backup, so that the central server does not miss one. */
async function takeBackup(url: string, key: string): Promise<void> {
  const { ok, status } = await fetch(`${url}/api/local/backups`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}` },
  });
  if (!ok) throw new Error(`the backup of the demo was not taken: ${status}`);
}

/** Gives the configuration file. */
async function writePast(own: DemoGateway, place: GatewayPlace): Promise<string> {
  const { gatewayId, machines, seed } = own;
  const { directory, people, upstream } = place;
  const dataDir = dataDirOf(own, place);
  await mkdir(dataDir);
  const plant = path.join(dataDir, 'plant.yaml');
  const file = path.join(dataDir, 'plantgate.yaml');
  await writeFile(plant, samplePlant(machines) + people);
  const ports = { http: { port: 0 }, mqtt: { port: 0 } };
  const settings = { gatewayId, dataDir, plant, ...ports, upstream, shifts: SAMPLE_SHIFTS };
  await writeFile(file, JSON.stringify(settings));
  const request = { environment: {}, cwd: directory, hostName: gatewayId, timeZone: 'UTC', file };
  const { config } = loadConfig(request);
  await writeDemoHistory({
    dataDir,
    storeThreadEntry: threadEntry('store-thread'),
    machines: simulatedMachines(machines, { timeScale: 1, seed }),
    shifts: config.shifts,
    nowMs: Date.now(),
    log: createLog('warn', {}, false),
    forwarding: { maxBytes: config.storage.maxQueueBytes, gatewayId, server: new URL(upstream.url).host },
  });
  return file;
}

function dataDirOf({ gatewayId }: DemoGateway, { directory }: GatewayPlace): string {
  return path.join(directory, gatewayId);
}
