import { readFileSync } from 'node:fs';
import type { Restart } from '../../../flows/settings/settings-ports.ts';

export interface RunsUnder {
  /** A person started it in a terminal that is still there. */
  readonly isTerminal: boolean;
  /** systemd sets it for a service, and everything that is started from there has it too. */
  readonly invocationId: string | undefined;
  /** The content of /proc/self/cgroup; '' on a system without that file. */
  readonly cgroup: string;
}

/** The unit of a service at the end of its control group; other characters would have to be quoted in a shell. */
const UNIT = /\/([\w.@:-]+)\.service$/;
/** The services of a person belong to the person's own manager. */
const OF_PERSON = /\/user@\d+\.service\//;

/** How this process is started again. A terminal comes first: it may belong to a service, as under tmux. */
export function howToRestart({ isTerminal, invocationId, cgroup }: RunsUnder): Restart {
  if (isTerminal) return { by: 'terminal', command: null };
  const group = cgroup.split('\n').find((line) => /^\d+:(name=systemd)?:\/./.test(line)) ?? '';
  const [, unit] = UNIT.exec(group) ?? [];
  if (unit === undefined || invocationId === undefined) return { by: 'other', command: null };
  return { by: 'service', command: `systemctl ${OF_PERSON.test(group) ? '--user ' : ''}restart ${unit}` };
}

/** How the running process is started again. */
export function howThisRestarts({ INVOCATION_ID }: NodeJS.ProcessEnv): Restart {
  const isTerminal = process.stdin.isTTY === true || process.stdout.isTTY === true;
  return howToRestart({ isTerminal, invocationId: INVOCATION_ID, cgroup: ownCgroup() });
}

function ownCgroup(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    // Only Linux has control groups.
    return '';
  }
}
