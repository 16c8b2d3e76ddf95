import { readLocalAccess } from '../../../adapters/system/local-access.ts';
import { CONFIG_SCHEMA, type Config } from '../../../config/config-schema.ts';
import { PLANT_SCHEMAS } from '../../../config/plant-file/plant-schema.ts';
import { readFileBounded } from '../../../config/read-file.ts';
import { secretValues, withoutSecrets } from '../../../config/secret-values.ts';
import { MAX_PLANT_FILE_BYTES } from '../../../config/yaml/yaml-limits.ts';
import { readYaml } from '../../../config/yaml/yaml-source.ts';
import { CodedError } from '../../../domain/error.ts';
import { errorCode } from '../../../domain/error-code.ts';

const PLANT_FILE = {
  properties: Object.fromEntries(Object.entries(PLANT_SCHEMAS).map(([kind, items]) => [kind, { items }])),
};

/** The secrets that the configuration, the plant file and the running gateway hold as text. */
export async function knownSecrets(config: Config): Promise<readonly string[]> {
  const access = await readLocalAccess(config.dataDir).catch(nullWithoutKey);
  return [
    ...secretValues(config, CONFIG_SCHEMA),
    ...plantSecrets(config.plant),
    ...(access === null ? [] : [access.key]),
  ];
}

/** No gateway runs, its file is damaged, or this user may not read it: then no part holds the key either. */
function nullWithoutKey(error: unknown): null {
  if (error instanceof CodedError) return null;
  throw error;
}

/** The effective configuration, without its secrets. */
export function shownConfig(config: Config): unknown {
  return withoutSecrets(config, CONFIG_SCHEMA);
}

/** Reads the secrets of a plant file, also of one with faults. */
function plantSecrets(file: string | undefined): readonly string[] {
  const bytes = file === undefined ? null : readOrNull(file);
  if (file === undefined || bytes === null) return [];
  const yaml = readYaml(bytes, { file, maxBytes: MAX_PLANT_FILE_BYTES });
  return yaml.ok ? secretValues(yaml.value, PLANT_FILE) : [];
}

/** Null if this user may not read it. */
function readOrNull(file: string): Uint8Array | null {
  try {
    return readFileBounded(file, MAX_PLANT_FILE_BYTES);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
}
