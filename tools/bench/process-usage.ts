import { readFileSync } from 'node:fs';

/** The usage of a process so far: CPU time of all its threads, user and system, and its resident memory now. */
export interface Usage {
  readonly cpuUs: number;
  readonly residentMiB: number;
}

const TICKS_PER_SECOND = 100;

/** Reads the usage from the kernel, so that the process itself has no work with it. */
export function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuUs: (ticks * 1e6) / TICKS_PER_SECOND, residentMiB: Number(resident ?? 0) / 1_024 };
}
