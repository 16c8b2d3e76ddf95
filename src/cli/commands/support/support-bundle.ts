import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Config } from '../../../config/config-schema.ts';
import { type ConfigRequest, loadedOrNull } from '../../../config/load-config.ts';
import { errorCode } from '../../../domain/error-code.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { type TarFile, tarArchive } from '../../../runtime/tar-archive.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { examine } from '../doctor/doctor.ts';
import { filesPart, gatewayParts, logParts, type Part, type Parts, versionPart } from './bundle-parts.ts';
import { knownSecrets, shownConfig } from './known-secrets.ts';
import { createRedaction, type Redaction } from './redaction.ts';

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
  const log = await logParts();
  const ofProgram = { 'version.json': versionPart(), 'doctor.json': { json: { findings } }, ...log };
  if (config === null) return ofProgram;
  const [gateway, files] = await Promise.all([gatewayParts(config), filesPart(config)]);
  return { ...ofProgram, 'configuration.json': { json: shownConfig(config) }, 'files.json': files, ...gateway };
}

function asFile(name: string, part: Part, redaction: Redaction): TarFile {
  const text = 'text' in part ? redaction.text(part.text) : JSON.stringify(redaction.json(part.json), null, 2);
  return { name: `${FOLDER}/${name}`, content: Buffer.from(`${text}\n`), mode: 0o600 };
}
