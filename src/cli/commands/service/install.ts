import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../../domain/error-text.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { type CommandTree, HELP_FILES } from '../completion/help-files.ts';
import { tellFault } from '../update/tell-fault.ts';
import { refuseInterrupted, withUpdateLock } from '../update/update-lock.ts';
import { updatePlaces } from '../update/update-places.ts';
import { type Installation, installationIn, isLive, SERVICE_USER } from './installation.ts';
import { letServiceRead, placeDir, placeFile, placeOwnDir, type Step, step } from './place-file.ts';
import { serviceFile } from './service-files.ts';
import { findServiceUser, makeServiceUser } from './service-user.ts';
import { enable, isSystemdRunning, runProgram, SERVICE, showService, systemctl } from './system-programs.ts';

export interface InstallOptions {
  /** `/`, or the directory of an image. */
  readonly root: string;
  /** The single binary that is installed; null from source. */
  readonly binary: string | null;
  /** For the manual page and the completion. */
  readonly commands: CommandTree;
}

/**
 * `plantgate install`: puts program, user, directories, configuration and unit file in their places and starts the
 * service. A second run upgrades the program and leaves the configuration alone. Gives the exit code.
 */
export async function runInstall({ root, binary, commands }: InstallOptions, io: CommandIo): Promise<number> {
  const installation = installationIn(root);
  const refusal = refusalOf(installation, binary);
  if (refusal !== null || binary === null) return tell(refusal, io);
  const exitCode = await changeInstallation(installation, 'plantgate was not installed', io, () =>
    install(installation, binary, commands),
  );
  if (exitCode === EXIT.done && isLive(installation)) io.stdout(FIRST_VISIT);
  return exitCode;
}

const FIRST_VISIT =
  'The page is on port 8080. At first it asks for a code, which is in the log: journalctl -u plantgate | grep setUpCode';

export type Refusal = { readonly exitCode: number; readonly sentence: string } | null;

function refusalOf(installation: Installation, binary: string | null): Refusal {
  if (binary === null) {
    const sentence = 'Only the single binary can be installed. Make it with "npm run build:binary".';
    return { exitCode: EXIT.usage, sentence };
  }
  return ofPackage(installation, 'Upgrade') ?? notRoot(installation);
}

/** The files of a package belong to the package manager. */
export function ofPackage({ packagedUnits }: Installation, verb: 'Upgrade' | 'Update' | 'Remove'): Refusal {
  const packaged = packagedUnits.find((unit) => existsSync(unit));
  if (packaged === undefined) return null;
  const sentence = `A package has installed plantgate (${packaged}). ${verb} it with the package manager.`;
  return { exitCode: EXIT.cannotCreate, sentence };
}

/** An image may be filled by the owner of its directory. */
export function notRoot(installation: Installation): Refusal {
  if (!isLive(installation) || process.getuid?.() === 0) return null;
  return { exitCode: EXIT.notPermitted, sentence: 'Run this as root, as with sudo.' };
}

export function tell(refusal: Refusal, io: CommandIo): number {
  io.stderr(refusal?.sentence ?? '');
  return refusal?.exitCode ?? EXIT.internal;
}

const MARK: Readonly<Record<Step['outcome'], string>> = {
  done: 'done',
  unchanged: 'as it was',
  skipped: 'not done',
  failed: 'FAILED',
};

/**
 * Takes steps while no update runs, because the update would overwrite a program that was installed meanwhile.
 * `otherwise` is the message if an update runs or was interrupted. Gives the exit code.
 */
export async function changeInstallation(
  installation: Installation,
  otherwise: string,
  io: CommandIo,
  steps: () => Iterable<Step>,
): Promise<number> {
  const places = updatePlaces(installation);
  try {
    return await withUpdateLock(places, () => {
      refuseInterrupted(places);
      return tellSteps(steps, io);
    });
  } catch (error) {
    return tellFault(error, otherwise, io);
  }
}

/** Takes the steps and prints each. Gives 74 if a step failed. A step that throws is the last one. */
function tellSteps(steps: () => Iterable<Step>, io: CommandIo): number {
  let failed = 0;
  try {
    for (const { outcome, text } of steps()) {
      io.stdout(`${MARK[outcome].padEnd(9)}  ${text}`);
      if (outcome === 'failed') failed += 1;
    }
  } catch (error) {
    io.stderr(`It could not be finished: ${errorMessage(error)}. Run it again when this is mended.`);
    return EXIT.inputOutput;
  }
  if (failed === 0) return EXIT.done;
  io.stderr('A step failed: see FAILED above. Run it again when this is mended.');
  return EXIT.inputOutput;
}

function* install(installation: Installation, binary: string, commands: CommandTree): Iterable<Step> {
  const { config, configDir, dataDir, cacheDir, unit } = installation;
  const program = placeFile(installation.binary, readFileSync(binary), { mode: 0o755 });
  yield program;
  for (const [place, textOf] of Object.entries(HELP_FILES)) {
    yield placeFile(path.join(installation.root, place), textOf(commands), { mode: 0o644 });
  }
  const isRoot = process.getuid?.() === 0;
  yield isRoot
    ? makeServiceUser(installation)
    : step('skipped', `user ${SERVICE_USER}: only root can make it, and give it the configuration and the data`);
  const user = isRoot ? findServiceUser(installation) : undefined;
  const ofGroup = user && { uid: 0, gid: user.gid };
  yield placeDir(configDir, { mode: 0o750, owner: ofGroup });
  const ofConfig = { mode: 0o640, owner: ofGroup };
  yield existsSync(config)
    ? letServiceRead(config, ofConfig, user)
    : placeFile(config, serviceFile('plantgate.yaml'), ofConfig);
  yield placeOwnDir(dataDir, { mode: 0o700, owner: user });
  yield placeOwnDir(cacheDir, { mode: 0o755, owner: user });
  const service = placeFile(unit, serviceFile('plantgate.service'), { mode: 0o644 });
  yield service;
  const { applyPath, applyUnit } = updatePlaces(installation);
  yield placeFile(applyUnit, serviceFile('plantgate-apply.service'), { mode: 0o644 });
  yield placeFile(applyPath, serviceFile('plantgate-apply.path'), { mode: 0o644 });
  yield systemctl(installation, ['daemon-reload']);
  yield enable(installation, 'enable', ['plantgate.service', 'plantgate-apply.path']);
  const isChanged = program.outcome === 'done' || service.outcome === 'done';
  yield startService(installation, isChanged ? 'restart' : 'start');
  yield systemctl(installation, ['start', 'plantgate-apply.path']);
}

/** A start that fails mostly does so within this time. A start on a large database may need longer. */
const WATCH_MS = 90_000;

/** Starts the service of this computer, or restarts it. */
function startService(installation: Installation, verb: 'start' | 'restart'): Step {
  const isPossible = isLive(installation) && isSystemdRunning();
  return isPossible ? startAndWatch(verb, WATCH_MS) : systemctl(installation, [verb, SERVICE]);
}

/** Waits until the service serves. A start that takes longer than `watchMs` goes on by itself, and is no failure. */
export function startAndWatch(verb: 'start' | 'restart', watchMs: number): Step {
  const text = `systemctl ${verb} ${SERVICE}`;
  const { complaint, isLate } = runProgram('systemctl', [verb, SERVICE], watchMs);
  if (complaint === null) return step('done', text);
  if (!isLate || !isStarting()) return step('failed', `${text}: ${complaint}`);
  return step('done', `${text}: it is still starting, as on a large database. Watch it by "journalctl -fu plantgate".`);
}

function isStarting(): boolean {
  const { output } = showService(SERVICE_USER, 'ActiveState', 'SubState');
  return /^ActiveState=activating$/m.test(output) && /^SubState=start$/m.test(output);
}
