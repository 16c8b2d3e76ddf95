import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Installation } from './installation.ts';
import { isLive } from './installation.ts';
import { type Step, step } from './place-file.ts';

const TIMEOUT_MS = 90_000;

/** Runs a program of the system. Gives its complaint, or null if it succeeded. */
export function complaintOf(program: string, words: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: TIMEOUT_MS });
  if (error !== undefined) return error.message;
  return status === 0 ? null : `${program} ended with ${status}: ${stderr.trim()}`;
}

/** Whether systemd runs this computer and takes requests. */
export function isSystemdRunning(): boolean {
  return existsSync('/run/systemd/system');
}

/** `systemctl` on this computer, or on an image, on which services can only be enabled. */
export function systemctl(installation: Installation, words: readonly string[], isForImages: boolean): Step {
  const text = `systemctl ${words.join(' ')}`;
  if (!isLive(installation)) {
    if (!isForImages) return step('skipped', `${text}: nothing runs in an image`);
    return judged(text, complaintOf('systemctl', [`--root=${installation.root}`, ...words]));
  }
  if (!isSystemdRunning()) return step('skipped', `${text}: this computer does not run systemd`);
  return judged(text, complaintOf('systemctl', words));
}

function judged(text: string, complaint: string | null): Step {
  return complaint === null ? step('done', text) : step('failed', `${text}: ${complaint}`);
}
