import { spawnSync } from 'node:child_process';

const POLICY = ['--reset-on-fork', '--rr'];
const REAL_TIME = ['chrt', ...POLICY, '10'];
const SIDES = ['both', 'gateway', 'devices', 'none'] as const;
type Side = 'gateway' | 'devices';

const { BENCH_REAL_TIME: asked = 'both' } = process.env;
const chosen = SIDES.find((sides) => sides === asked);
if (chosen === undefined) throw new Error(`BENCH_REAL_TIME must be one of ${SIDES.join(', ')}`);
const isPermitted = spawnSync('chrt', [...REAL_TIME.slice(1), 'true']).status === 0;
if (!isPermitted) console.log('(real-time scheduling is not permitted: latencies are those of a busy machine)');
else if (chosen !== 'both') console.log(`(real-time scheduling: ${chosen})`);

/**
 * What a command is run under so that its main thread waits for no processor, as systemd/plantgate.service runs the gateway;
 * nothing where this is not permitted. Devices are machines of their own, so the load is run so too. The environment's
 * BENCH_REAL_TIME (both, gateway, devices, none) tells what each of the two does.
 */
export function underRealTime(side: Side): readonly string[] {
  return isPermitted && (chosen === 'both' || chosen === side) ? REAL_TIME : [];
}

/** Business clients are machines of their own as well: what this process asks waits for no processor either. */
export function askUnderRealTime(): void {
  if (underRealTime('devices').length > 0) spawnSync('chrt', [...POLICY, '--pid', '10', String(process.pid)]);
}
