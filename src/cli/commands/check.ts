import { tlsFaults } from '../../config/check-tls.ts';
import type { Config } from '../../config/config-schema.ts';
import { type ConfigRequest, loadConfig } from '../../config/load-config.ts';
import { ConfigError, type LocatedFault, locatedFaultText } from '../../config/located-fault.ts';
import { libraryFaults } from '../../domain/plant/library-rules.ts';
import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import { FILE_KINDS, type PlantFile, plantContents } from '../../domain/plant/plant-entry.ts';
import { missingSecrets } from '../../domain/plant/plant-merge.ts';
import { checkPlant } from '../../domain/plant/plant-rules.ts';
import { readPlant } from '../plant-file.ts';

const EXIT_DONE = 0;
const EXIT_BAD_CONFIGURATION = 78;

/**
 * `plantgate check`: writes each fault of configuration and plant file with file, line, path, the found and the
 * expected value. The plant file is judged as the whole plant. Gives the exit code: 0, or 78 when there are faults.
 */
export function runCheck(request: ConfigRequest & { readonly write: (text: string) => void }): number {
  const { write } = request;
  const loaded = load(request);
  if (!loaded.ok) return report({ faults: loaded.faults, unseen: 'TLS files and the plant file' }, write);
  const { config, file, faults } = loaded;
  const plant = config.plant === undefined ? null : checkPlantFile(config.plant);
  if (faults.length + (plant?.faults.length ?? 0) > 0) {
    return report({ faults: [...faults, ...(plant?.faults ?? [])], unseen: plant?.unseen ?? null }, write);
  }
  write(`configuration: ${file ?? 'built-in defaults'}: no faults\n`);
  write(plant === null ? 'plant file: none configured\n' : `plant file: ${config.plant}: no faults (${plant.holds})\n`);
  return EXIT_DONE;
}

type Loaded =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly file: string | null;
      readonly faults: readonly LocatedFault[];
    }
  | { readonly ok: false; readonly faults: readonly LocatedFault[] };

function load(request: ConfigRequest): Loaded {
  try {
    const { config, sources, locate } = loadConfig(request);
    return { ok: true, config, file: sources.file, faults: locate(tlsFaults(config)) };
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, faults: error.faults };
    throw error;
  }
}

interface Finding {
  readonly faults: readonly LocatedFault[];
  /** The parts that cannot be checked before these faults are corrected; null if all was checked. */
  readonly unseen: string | null;
}

function checkPlantFile(file: string): Finding & { readonly holds: string } {
  const reading = readPlant(file);
  if (!reading.ok) return { faults: reading.faults, unseen: 'the rest of the plant file', holds: '' };
  const { plantFile, locate } = reading;
  const contents = plantContents((kind) => plantFile[kind].map((entry) => PLANT_CODECS[kind].record(entry, undefined)));
  const faults = locate([...checkPlant(contents), ...missingSecrets(plantFile), ...libraryFaults(plantFile)]);
  return { faults, unseen: null, holds: summary(plantFile) };
}

function report({ faults, unseen }: Finding, write: (text: string) => void): number {
  for (const fault of faults) write(`${locatedFaultText(fault)}\n`);
  if (unseen !== null) write(`not checked before these are mended: ${unseen}\n`);
  write(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}\n`);
  return EXIT_BAD_CONFIGURATION;
}

function summary(plantFile: PlantFile): string {
  const counts = FILE_KINDS.filter((kind) => plantFile[kind].length > 0).map((kind) => {
    return `${plantFile[kind].length} ${kind}`;
  });
  return counts.length === 0 ? 'empty' : counts.join(', ');
}
