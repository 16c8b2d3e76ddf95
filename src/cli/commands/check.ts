import { tlsFaults } from '../../config/check-tls.ts';
import type { Config } from '../../config/config-schema.ts';
import { type ConfigRequest, loadConfig } from '../../config/load-config.ts';
import { ConfigError, type LocatedFault, locatedFaultText } from '../../config/located-fault.ts';
import { libraryFaults } from '../../domain/plant/library-rules.ts';
import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import { FILE_KINDS, type PlantFile, plantContents } from '../../domain/plant/plant-entry.ts';
import { missingSecrets } from '../../domain/plant/plant-merge.ts';
import { checkPlant } from '../../domain/plant/plant-rules.ts';
import type { Result } from '../../domain/result.ts';
import { readPlant } from '../plant-file.ts';

const EXIT_DONE = 0;
const EXIT_NOT_PERMITTED = 77;
const EXIT_BAD_CONFIGURATION = 78;

/**
 * `plantgate check`: writes each fault of configuration and plant file with file, line, path, the found and the
 * expected value. The plant file is judged as the whole plant. Gives the exit code: 0, 78 when there are faults, or 77 when
 * this user may not read the configuration.
 */
export function runCheck({ write, json = false, ...request }: CheckRequest): number {
  const { faults, unseen, sound, isForbidden = false } = examined(request);
  if (json) write(`${JSON.stringify({ faults, unseen }, null, 2)}\n`);
  else for (const line of faults.length > 0 ? reportLines({ faults, unseen, isForbidden }) : sound) write(`${line}\n`);
  if (faults.length === 0) return EXIT_DONE;
  return isForbidden ? EXIT_NOT_PERMITTED : EXIT_BAD_CONFIGURATION;
}

type CheckRequest = ConfigRequest & { readonly write: (text: string) => void; readonly json?: boolean };

/** The faults, and the lines that are told if there are none. */
function examined(request: ConfigRequest): Finding & { readonly sound: readonly string[] } {
  const loaded = load(request);
  if (!loaded.ok) return { ...loaded, unseen: 'TLS files and the plant file', sound: [] };
  const { config, file, faults } = loaded;
  const configuration = `configuration: ${file ?? 'built-in defaults'}: no faults`;
  if (config.plant === undefined) {
    return { faults, unseen: null, sound: [configuration, 'plant file: none configured'] };
  }
  const plant = checkPlantFile(config.plant);
  const sound = [configuration, `plant file: ${config.plant}: no faults (${plant.holds})`];
  return { faults: [...faults, ...plant.faults], unseen: plant.unseen, sound };
}

type Loaded = { readonly faults: readonly LocatedFault[] } & Result<
  { readonly config: Config; readonly file: string | null },
  { readonly isForbidden: boolean }
>;

function load(request: ConfigRequest): Loaded {
  try {
    const { config, sources, locate } = loadConfig(request);
    return { ok: true, config, file: sources.file, faults: locate(tlsFaults(config)) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { ok: false, faults: error.faults, isForbidden: error.code === 'not-permitted' };
  }
}

interface Finding {
  readonly faults: readonly LocatedFault[];
  /** The parts that cannot be checked before these faults are corrected; null if all was checked. */
  readonly unseen: string | null;
  /** Whether this user may not read the configuration. */
  readonly isForbidden?: boolean;
}

function checkPlantFile(file: string): Finding & { readonly holds: string } {
  const reading = readPlant(file);
  if (!reading.ok) return { faults: reading.faults, unseen: 'the rest of the plant file', holds: '' };
  const { plantFile, locate } = reading;
  const contents = plantContents((kind) => plantFile[kind].map((entry) => PLANT_CODECS[kind].record(entry, undefined)));
  const faults = locate([...checkPlant(contents), ...missingSecrets(plantFile), ...libraryFaults(plantFile)]);
  return { faults, unseen: null, holds: summary(plantFile) };
}

function reportLines({ faults, unseen, isForbidden }: Finding): readonly string[] {
  return [
    ...faults.map(locatedFaultText),
    ...(unseen === null ? [] : [`not checked before these are mended: ${unseen}`]),
    `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}${isForbidden ? '; run it with sudo' : ''}`,
  ];
}

function summary(plantFile: PlantFile): string {
  const counts = FILE_KINDS.filter((kind) => plantFile[kind].length > 0).map((kind) => {
    return `${plantFile[kind].length} ${kind}`;
  });
  return counts.length === 0 ? 'empty' : counts.join(', ');
}
