import { spawnSync } from 'node:child_process';

const REAL_TIME = ['chrt', '--reset-on-fork', '--rr', '10'];

/**
 * What a command is run under so that its main thread waits for no processor, as systemd/plantgate.service runs the gateway;
 * nothing where this is not permitted. Devices are machines of their own, so the load is run so too.
 */
export const underRealTime: readonly string[] =
  spawnSync(REAL_TIME[0] ?? '', [...REAL_TIME.slice(1), 'true']).status === 0 ? REAL_TIME : [];

if (underRealTime.length === 0)
  console.log('(real-time scheduling is not permitted: latencies are those of a busy machine)');
