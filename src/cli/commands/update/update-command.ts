import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ConfigRequest } from '../../../config/load-config.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { ignoreOutputFaults } from '../../ignore-output-faults.ts';
import { loadOrTell } from '../../load-or-tell.ts';
import { numberOption } from '../../number-option.ts';
import { notRoot, ofPackage, type Refusal, tell } from '../service/install.ts';
import { type Installation, installationIn, isLive } from '../service/installation.ts';
import { realUpdateParts } from './real-update-parts.ts';
import { refuseRequest } from './requested/refuse-request.ts';
import { runRequestedUpdate } from './requested/requested-update.ts';
import { tellFault } from './tell-fault.ts';
import { trustedKeys } from './trusted-keys.ts';
import { resumeUpdate, runUpdate } from './update.ts';

export interface UpdateCommandOptions {
  readonly root: string;
  readonly check?: true;
  readonly json?: true;
  readonly allowDowngrade?: true;
  readonly resume?: true;
  readonly requested?: true;
  readonly wait?: string;
}

const WAIT_SECONDS = { name: '--wait', min: 1, max: 86_400, kind: 'whole' } as const;
/** The time that a new version has until it serves; machines get no answers meanwhile. */
const STANDARD_WAIT_SECONDS = 60;
/** The unit `plantgate-apply.path` waits for requests in this directory alone. */
const STANDARD_DATA_DIR = installationIn('/').dataDir;

/** `plantgate update` with its typed options. Gives the exit code. */
export async function runUpdateCommand(
  file: string | undefined,
  options: UpdateCommandOptions,
  configRequest: (file: string) => ConfigRequest,
  io: CommandIo,
): Promise<number> {
  const installation = installationIn(path.resolve(options.root));
  const wait = numberOption(options.wait, WAIT_SECONDS, STANDARD_WAIT_SECONDS);
  if (!wait.ok) return tell({ exitCode: EXIT.usage, sentence: wait.sentence }, io);
  // A check runs on any computer.
  const misuse = usageRefusal(file, options) ?? (options.check ? null : notRoot(installation));
  if (misuse !== null) return tell(misuse, io);
  const faults: string[] = [];
  // `--resume` ends an interrupted update. It does not need the settings of the page, which may be damaged.
  const request = (config: string) => ({ ...configRequest(config), withoutChosen: options.resume === true });
  const dataDir = options.check ? installation.dataDir : dataDirOf(installation, request, tellingAlso(faults, io));
  if (typeof dataDir === 'number') {
    if (options.requested) await refuseRequest(faults.join(' '), realUpdateParts(installation, STANDARD_DATA_DIR, io));
    return dataDir;
  }
  const parts = realUpdateParts(installation, dataDir, io);
  if (options.resume) return resumeUpdate(parts, io);
  if (isLive(installation) && options.check === undefined) surviveHangUp();
  if (file === undefined) return runRequestedUpdate(wait.value * 1_000, parts, io);
  try {
    const keys = trustedKeys(parts.places.trustedKeys);
    const { check: checkOnly = false, json = false, allowDowngrade = false } = options;
    return await runUpdate(
      { file, trustedKeys: keys, checkOnly, json, allowDowngrade, waitMs: wait.value * 1_000 },
      parts,
      io,
    );
  } catch (error) {
    return tellFault(error, `${file} was not installed`, io);
  }
}

function usageRefusal(
  file: string | undefined,
  { resume, requested, check, json, allowDowngrade }: UpdateCommandOptions,
): Refusal {
  const isAlone = check === undefined && allowDowngrade === undefined;
  const chosen = [file, resume, requested].filter((one) => one !== undefined);
  const isRight = chosen.length === 1 && (file !== undefined || isAlone) && (json === undefined || check !== undefined);
  const sentence = 'Give the archive to install, or --resume alone, or --requested alone; --json only with --check.';
  return isRight ? null : { exitCode: EXIT.usage, sentence };
}

/** Keeps what is told on stderr. */
function tellingAlso(told: string[], io: CommandIo): CommandIo {
  const stderr = (line: string) => {
    told.push(line);
    io.stderr(line);
  };
  return { ...io, stderr };
}

/** The data directory of the configuration; or the exit code, because there is nothing to update or it is faulty. */
function dataDirOf(
  installation: Installation,
  configRequest: (file: string) => ConfigRequest,
  io: CommandIo,
): string | number {
  const refusal = placeRefusal(installation);
  if (refusal !== null) return tell(refusal, io);
  const loaded = loadOrTell(configRequest(installation.config), io);
  return typeof loaded === 'number' ? loaded : loaded.config.dataDir;
}

function placeRefusal(installation: Installation): Refusal {
  const { binary, config } = installation;
  if (![binary, config].every((place) => existsSync(place))) {
    const sentence = `plantgate is not installed here: ${binary} or ${config} is missing. Run "plantgate install".`;
    return { exitCode: EXIT.unavailable, sentence };
  }
  return ofPackage(installation, 'Update');
}

/** A terminal that is closed does not end an update half-way. */
function surviveHangUp(): void {
  process.removeAllListeners('SIGHUP').on('SIGHUP', ignoreOutputFaults);
  ignoreOutputFaults();
}
