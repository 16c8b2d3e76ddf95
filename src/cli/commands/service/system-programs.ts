import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../domain/error-code.ts';
import { makeDirectorySync } from '../../../runtime/disk/make-directory.ts';
import { type Installation, isLive, type ServiceName } from './installation.ts';
import { type Step, step } from './place-file.ts';

/** A program of the system that takes longer is ended, because it hangs. */
const TIMEOUT_MS = 90_000;
export const SERVICE = 'plantgate.service';
const SHOW_TIMEOUT_MS = 10_000;

interface ProgramRun {
  /** The reason for which it failed; null if it succeeded. */
  readonly complaint: string | null;
  /** It was ended because it took too long. */
  readonly isLate: boolean;
  readonly output: string;
}

/** Runs a program of the system until its end, or until the time is over. */
export function runProgram(program: string, words: readonly string[], timeoutMs = TIMEOUT_MS): ProgramRun {
  // Loaded here, because the gateway's own process starts no program and would load it in vain.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const ran = spawnSync(program, words, { encoding: 'utf8', timeout: timeoutMs });
  const { error, status, stderr } = ran;
  // A program that is missing has no output.
  const output = ran.stdout ?? '';
  if (error !== undefined) return { complaint: error.message, isLate: errorCode(error) === 'ETIMEDOUT', output };
  const complaint = status === 0 ? null : `${program} ended with ${status}: ${stderr.trim()}`;
  return { complaint, isLate: false, output };
}

/** Runs a program of the system. Gives its complaint, or null if it succeeded. */
export function complaintOf(program: string, words: readonly string[]): string | null {
  return runProgram(program, words).complaint;
}

/** Properties of a service, as `NAME=value`, one a line. */
export function showService(service: ServiceName, ...properties: readonly string[]): ProgramRun {
  return runProgram('systemctl', ['show', `${service}.service`, `--property=${properties.join(',')}`], SHOW_TIMEOUT_MS);
}

/** Whether systemd runs this computer and takes requests. */
export function isSystemdRunning(): boolean {
  return existsSync('/run/systemd/system');
}

/** Runs `systemctl` on this computer, if systemd runs it. */
export function systemctl(installation: Installation, words: readonly string[]): Step {
  const text = `systemctl ${words.join(' ')}`;
  if (!isLive(installation)) return step('skipped', `${text}: nothing runs in an image`);
  if (!isSystemdRunning()) return step('skipped', `${text}: this computer does not run systemd`);
  return judged(text, complaintOf('systemctl', words));
}

/** Lets the computer start units by itself, or no more. */
export function enable(installation: Installation, act: Enabling, names: readonly string[]): Step {
  return isLive(installation) ? systemctl(installation, [act, ...names]) : enableInImage(installation, act, names);
}

function judged(text: string, complaint: string | null): Step {
  return complaint === null ? step('done', text) : step('failed', `${text}: ${complaint}`);
}

type Enabling = 'enable' | 'disable';

const WANTED_BY = /^WantedBy=(.+)$/gm;

/**
 * Enables units of an image, or disables them: `systemctl --root` makes the same links, but a computer on which images
 * are made may not have it.
 */
function enableInImage({ unit, root }: Installation, act: Enabling, names: readonly string[]): Step {
  const directory = path.dirname(unit);
  let isChanged = false;
  for (const name of names) {
    for (const target of targetsOf(path.join(directory, name))) {
      const link = path.join(directory, `${target}.wants`, name);
      const isThere = lstatSync(link, { throwIfNoEntry: false }) !== undefined;
      if (isThere === (act === 'enable')) continue;
      isChanged = true;
      if (isThere) {
        rmSync(link);
        continue;
      }
      makeDirectorySync(path.dirname(link));
      symlinkSync(path.join('/', path.relative(root, directory), name), link);
    }
  }
  return step(isChanged ? 'done' : 'unchanged', `${act} ${names.join(' ')} in the image`);
}

/** The targets that start a unit. */
function targetsOf(file: string): readonly string[] {
  const [...found] = readFileSync(file, 'utf8').matchAll(WANTED_BY);
  return found.flatMap(([, targets = '']) => targets.split(' '));
}
