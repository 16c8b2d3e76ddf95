import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { NEWEST_SCHEMA } from '../../../adapters/store/thread/database/migrations.ts';
import type { ConfigRequest } from '../../../config/load-config.ts';
import { CodedError } from '../../../domain/error.ts';
import { syncFile } from '../../../runtime/disk/sync-file.ts';
import { VERSION } from '../../../version.ts';
import { textAt } from '../../answer-values.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { ignoreOutputFaults } from '../../ignore-output-faults.ts';
import { loadConfigOrExitCode } from '../../load-config-or-exit-code.ts';
import { openLocalClient } from '../../local-client.ts';
import { numberOption } from '../../number-option.ts';
import { runBackup } from '../backup/take-backup.ts';
import { notRoot, ofPackage, type Refusal, tell } from '../service/install.ts';
import { type Installation, installationIn, isLive, SERVICE_USER } from '../service/installation.ts';
import { placeFile } from '../service/place-file.ts';
import { serviceFile } from '../service/service-files.ts';
import { complaintOf, isSystemdRunning, SERVICE, showService } from '../service/system-programs.ts';
import { realDisk } from './disk.ts';
import { refuseRequest } from './requested/refuse-request.ts';
import { runRequestedUpdate } from './requested/requested-update.ts';
import { tellFault } from './tell-fault.ts';
import { trustedKeys } from './trusted-keys.ts';
import { resumeUpdate, runUpdate } from './update.ts';
import type { ServiceControl, UpdateParts } from './update-parts.ts';
import { type UpdatePlaces, updatePlaces } from './update-places.ts';

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
  const loaded = loadConfigOrExitCode(configRequest(installation.config), io);
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

const ASK_TIMEOUT_MS = 10_000;

/** The parts for an update of this computer, or of the image below a root. */
export function realUpdateParts(installation: Installation, dataDirOfConfig: string, io: CommandIo): UpdateParts {
  const places = updatePlaces(installation);
  const isThisComputer = isLive(installation);
  const dataDir = isThisComputer ? dataDirOfConfig : path.join(installation.root, dataDirOfConfig);
  const version = (isThisComputer ? versionOf(places.binary) : null) ?? VERSION;
  // The database itself shows which schema another version knows.
  const schema = version === VERSION ? NEWEST_SCHEMA : 0;
  return {
    places,
    dataDir,
    disk: realDisk,
    present: { version, arch: process.arch, schema },
    service: isThisComputer && isSystemdRunning() ? systemdService(places) : null,
    versionOf: isThisComputer ? versionOf : null,
    servingVersion: () => servingVersion(dataDir),
    backUp: (file) => runBackup({ dataDir, file, json: false }, { ...io, stdout: () => undefined }),
    monotonicMs: () => performance.now(),
    wait: (ms) => wait(ms),
    now: () => new Date(),
  };
}

function versionOf(program: string): string | null {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: ASK_TIMEOUT_MS });
  return status === 0 ? stdout.trim() : null;
}

/** The version of the gateway on this directory; null if none runs, or if `/readyz` says that it does not serve. */
async function servingVersion(dataDir: string): Promise<string | null> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok || typeof (await opened.client.getText('/readyz')) !== 'string') return null;
  const system = await opened.client.call('GET', '/api/local/system');
  return system.ok ? textAt(system.body, 'version') : null;
}

/** A program that ended this number of times does not recover by itself. systemd tries without end. */
const MAX_RESTARTS = 3;

/** The service as systemd runs it. */
export function systemdService({ resumeUnit }: Pick<UpdatePlaces, 'resumeUnit'>): ServiceControl {
  return {
    stop: async () => {
      systemctl('stop', SERVICE);
      // The start does not wait, so the next look at the count could still see the restarts of the version before. The
      // call fails only for a unit that systemd has unloaded, and that has no count.
      complaintOf('systemctl', ['reset-failed', SERVICE]);
    },
    // The call does not wait, because it would wait for ever for a version that hangs.
    start: async () => systemctl('start', '--no-block', SERVICE),
    failure: presentFailure,
    guardStart: () => {
      const { outcome } = placeFile(resumeUnit, serviceFile('plantgate-update.service'), { mode: 0o644 });
      if (outcome === 'done') systemctl('daemon-reload');
      systemctl('enable', 'plantgate-update.service');
      // A power cut must not undo it.
      syncFile(path.join(path.dirname(resumeUnit), 'multi-user.target.wants'));
    },
  };
}

/** Judges the properties that `systemctl show` gives. */
export function serviceFailure(properties: string): string | null {
  if (/^ActiveState=failed$/m.test(properties)) return 'systemd has given it up';
  const restarts = Number(/^NRestarts=(\d+)$/m.exec(properties)?.[1] ?? 0);
  return restarts < MAX_RESTARTS ? null : `it ended ${restarts} times`;
}

/** A version may still serve if systemd does not answer: the update waits for a limited time. */
function presentFailure(): string | null {
  const { complaint, output } = showService(SERVICE_USER, 'ActiveState', 'NRestarts');
  return complaint === null ? serviceFailure(output) : null;
}

function systemctl(...words: readonly string[]): void {
  const complaint = complaintOf('systemctl', words);
  if (complaint !== null) throw new CodedError('internal', complaint);
}
