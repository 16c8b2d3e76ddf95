import { spawnSync } from 'node:child_process';
import { isRealTimePermitted, REAL_TIME, WITHOUT_REAL_TIME } from '../real-time-permission.ts';

const SIDES = ['both', 'gateway', 'devices', 'none'] as const;
type Side = 'gateway' | 'devices';

const { BENCH_REAL_TIME: asked = 'both' } = process.env;
const chosen = SIDES.find((sides) => sides === asked);
if (chosen === undefined) throw new Error(`BENCH_REAL_TIME must be one of ${SIDES.join(', ')}`);
const isPermitted = isRealTimePermitted();
if (!isPermitted) console.log('(real-time scheduling is not permitted: latencies are those of a busy machine)');
else if (chosen !== 'both') console.log(`(real-time scheduling: ${chosen})`);

/**
 * The words before a command so that its main thread waits for no processor, as a gateway's does; empty where this is not
 * permitted. Devices are machines of their own, so the load is run so too. The environment's BENCH_REAL_TIME (both, gateway,
 * devices, none) says which of the two is run so.
 */
export function underRealTime(side: Side): readonly string[] {
  return isInRealTime(side) ? REAL_TIME : [];
}

/** The words before the command of a gateway. */
export function gatewayUnder(): readonly string[] {
  return isInRealTime('gateway') ? [] : WITHOUT_REAL_TIME;
}

/**
 * Business clients are machines of their own as well: what this process asks waits for no processor either. It runs with
 * --single-threaded-gc: two main threads in real time that both poll for their helpers keep two processors from those.
 */
export function askUnderRealTime(): void {
  const [command = '', ...words] = REAL_TIME;
  if (isInRealTime('devices'))
    spawnSync(command, [...words.slice(0, -1), '--pid', ...words.slice(-1), String(process.pid)]);
}

function isInRealTime(side: Side): boolean {
  return isPermitted && (chosen === 'both' || chosen === side);
}
