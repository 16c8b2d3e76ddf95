import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createLog } from '../../../adapters/system/log.ts';
import { type ConfigRequest, loadConfig } from '../../../config/load-config.ts';
import { createGateway } from '../../../gateway/gateway.ts';
import { SAMPLE_SHIFTS } from '../../../simulator/plant/sample-shifts.ts';
import type { CommandIo } from '../../command-io.ts';
import type { StartGateway } from './demo.ts';
import { writeDemoHistory } from './demo-history.ts';

/** Starts the demo's gateway with built-in defaults and the demo's own settings; no configuration file is read. */
export function demoGateway(
  request: Omit<ConfigRequest, 'file'>,
  storeThreadEntry: URL | string,
  io: CommandIo,
): StartGateway {
  return async ({ gatewayId, dataDir, http, mqtt, legacyAgent }, plantText, withHistory) => {
    const plant = path.join(dataDir, 'plant.yaml');
    const file = path.join(dataDir, 'plantgate.yaml');
    await writeFile(plant, plantText);
    await writeFile(
      file,
      JSON.stringify({
        ...{ gatewayId, dataDir, plant, http, mqtt, legacyAgent },
        shifts: SAMPLE_SHIFTS,
        log: { level: 'warn' },
      }),
    );
    const own = { ...request, environment: {}, file };
    const { config } = loadConfig(own);
    const log = createLog(config.log.level, io.environment, process.stdout.isTTY === true);
    const { shifts } = config;
    await writeDemoHistory({ dataDir, storeThreadEntry, machines: withHistory, shifts, nowMs: Date.now(), log });
    const gateway = await createGateway(config, { log, storeThreadEntry, request: own });
    const { httpPort, mqttPort } = gateway.addresses;
    return {
      httpUrl: `http://127.0.0.1:${httpPort}`,
      mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
      dataDir,
      close: () => gateway.close(),
    };
  };
}
