import { spawnSync } from 'node:child_process';
import { isRealTimePermitted, REAL_TIME } from '../../test/as-service.ts';

const SIDES = ['both', 'gateway', 'devices', 'none'] as const;
type Side = 'gateway' | 'devices';

const { BENCH_REAL_TIME: asked = 'both' } = process.env;
const chosen = SIDES.find((sides) => sides === asked);
if (chosen === undefined) throw new Error(`BENCH_REAL_TIME must be one of ${SIDES.join(', ')}`);
const isPermitted = isRealTimePermitted();
if (!isPermitted) console.log('(real-time scheduling is not permitted: latencies are those of a busy machine)');
else if (chosen !== 'both') console.log(`(real-time scheduling: ${chosen})`);

/**
 * The words before a command so that its main thread runs in real time, as the unit has it for a gateway; empty if this is
 * not permitted. Devices are separate computers, so the load runs in the same way. BENCH_REAL_TIME in the environment
 * (both, gateway, devices, none) chooses between the two.
 */
export function underRealTime(side: Side): readonly string[] {
  return isInRealTime(side) ? REAL_TIME : [];
}

/**
 * Business clients are separate computers as well, so this process also runs in real time. It runs with
 * --single-threaded-gc, because two main threads in real time that both poll for their helpers would take both
 * processors from these.
 */
export function askUnderRealTime(): void {
  const [command = '', ...words] = REAL_TIME;
  if (isInRealTime('devices'))
    spawnSync(command, [...words.slice(0, -1), '--pid', ...words.slice(-1), String(process.pid)]);
}

function isInRealTime(side: Side): boolean {
  return isPermitted && (chosen === 'both' || chosen === side);
}
