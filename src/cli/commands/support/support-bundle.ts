import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readLocalAccess } from '../../../adapters/system/local-access.ts';
import { CONFIG_SCHEMA, type Config } from '../../../config/config-schema.ts';
import { type ConfigRequest, loadedOrNull } from '../../../config/load-config.ts';
import { PLANT_SCHEMAS } from '../../../config/plant-file/plant-schema.ts';
import { readFileBounded } from '../../../config/read-file.ts';
import { secretValues, withoutSecrets } from '../../../config/secret-values.ts';
import { MAX_PLANT_FILE_BYTES } from '../../../config/yaml/yaml-limits.ts';
import { readYaml } from '../../../config/yaml/yaml-source.ts';
import { CodedError } from '../../../domain/error.ts';
import { errorCode } from '../../../domain/error-code.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { isJsonObject } from '../../../domain/json/json.ts';
import { type TarFile, tarArchive } from '../../../runtime/tar-archive.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { examine } from '../doctor/doctor.ts';
import { installationOf } from '../service/installation.ts';
import { filesPart, gatewayParts, logParts, type Part, type Parts, versionPart } from './bundle-parts.ts';

type Environment = CommandIo['environment'];

const FOLDER = 'plantgate-support';

/**
 * `plantgate support-bundle FILE`: writes one .tar.gz with the files that a remote helper needs, without secrets. Works
 * with and without a running gateway. Gives the exit code.
 */
export async function runSupportBundle(
  { request, file }: { readonly request: ConfigRequest; readonly file: string },
  io: CommandIo,
): Promise<number> {
  const { archive, files } = await makeBundle(request, io.environment);
  try {
    await writeFile(file, archive, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      io.stderr(`${file} exists already. Choose another name; nothing was overwritten.`);
      return EXIT.cannotCreate;
    }
    await rm(file, { force: true });
    io.stderr(`${file} cannot be written: ${errorMessage(error)}.`);
    return EXIT.inputOutput;
  }
  io.stdout(`${file} holds ${files} files, ${archive.length} bytes, without secrets. Look into it before you send it.`);
  return EXIT.done;
}

/** The bundle, and how many files it holds. */
export async function makeBundle(
  request: ConfigRequest,
  environment: Environment,
): Promise<{ readonly archive: Buffer; readonly files: number }> {
  const config = loadedOrNull(request)?.config ?? null;
  const redaction = createRedaction(config === null ? [] : await knownSecrets(config));
  const parts = await gather(request, config, environment);
  const files = Object.entries(parts).map(([name, part]) => asFile(name, part, redaction));
  return { archive: await promisify(gzip)(tarArchive(files, new Date())), files: files.length };
}

async function gather(request: ConfigRequest, config: Config | null, environment: Environment): Promise<Parts> {
  const findings = await examine(request, environment);
  const log = await logParts(installationOf(request.file ?? null).service);
  const ofProgram = { 'version.json': versionPart(), 'doctor.json': { json: { findings } }, ...log };
  if (config === null) return ofProgram;
  const [gateway, files] = await Promise.all([gatewayParts(config), filesPart(config)]);
  return { ...ofProgram, 'configuration.json': { json: shownConfig(config) }, 'files.json': files, ...gateway };
}

function asFile(name: string, part: Part, redaction: Redaction): TarFile {
  const text = 'text' in part ? redaction.text(part.text) : JSON.stringify(redaction.json(part.json), null, 2);
  return { name: `${FOLDER}/${name}`, content: Buffer.from(`${text}\n`), mode: 0o600 };
}

const PLANT_FILE = {
  properties: Object.fromEntries(Object.entries(PLANT_SCHEMAS).map(([kind, items]) => [kind, { items }])),
};

/** The secrets that the configuration, the plant file and the running gateway hold as text. */
async function knownSecrets(config: Config): Promise<readonly string[]> {
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
function shownConfig(config: Config): unknown {
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

/** Removes secrets from texts that leave the plant. */
interface Redaction {
  readonly text: (text: string) => string;
  readonly json: (value: unknown) => unknown;
}

const LEFT_OUT = '(left out)';
const SECRET_NAME = /(?:password|secret|api_?key|registrationkey|badge|pin|token|authorization|cookie|setupcode)$/i;

/** The forms of secrets: in an address, in a header, behind their name. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${LEFT_OUT}@`],
  [/\b(ApiKey|Basic|Bearer)\s+[\w+/=.~-]{6,}/gi, `$1 ${LEFT_OUT}`],
  [
    /("\w*(?:password|secret|api_?key|registrationkey|badge|pin|token|authorization|cookie|setupcode)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
    `$1"${LEFT_OUT}"`,
  ],
  [/(\b\w*(?:password|secret|api_?key|registrationkey|token|setupcode)=)[^\s&"']+/gi, `$1${LEFT_OUT}`],
];

/** Recognises secrets by their text, if it stands as a separate word, and by their shape. */
export function createRedaction(secrets: readonly string[]): Redaction {
  const known = [...new Set(secrets)].filter((secret) => secret !== '').sort((one, other) => other.length - one.length);
  const patterns = known.flatMap((secret) => spellings(secret).map(asWord));
  const text = (given: string) => {
    const shaped = SHAPES.reduce((changed, [shape, instead]) => changed.replace(shape, instead), given);
    return patterns.reduce((changed, pattern) => changed.replace(pattern, LEFT_OUT), shaped);
  };
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const isSecret = typeof inner === 'string' && SECRET_NAME.test(key);
        return [text(key), isSecret ? LEFT_OUT : json(inner)];
      }),
    );
  };
  return { text, json };
}

/** The forms of the secret: plain, in JSON, and in an address. */
function spellings(secret: string): readonly string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())])];
}

/** A PIN of four digits is no secret in the middle of a number. */
function asWord(secret: string): RegExp {
  const isShort = secret.length < 8;
  const plain = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(isShort ? `(?<![\\w.])${plain}(?![\\w.])` : plain, 'g');
}
