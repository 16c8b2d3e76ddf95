import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { stageProgram } from '../build/stage-program.ts';

const root = path.resolve(import.meta.dirname, '..');
const STAGE = path.join(root, 'node_modules/.cache/plantgate/program');

/**
 * The program in the form of the single binary. Tests start it hundreds of times, and it starts seven times as fast as
 * its sources.
 */
export const PROGRAM_FILE = path.join(STAGE, 'main.cjs');
/** Its store thread. */
export const STORE_THREAD_FILE = path.join(STAGE, 'store-thread.cjs');
/** The thread that answers for the gateway's name. */
export const DISCOVERY_THREAD_FILE = path.join(STAGE, 'discovery-thread.cjs');
/** The gateway with faults and a clock at hand. */
export const GATEWAY_PROCESS_FILE = path.join(STAGE, 'gateway-process.cjs');

/** Bundles the program once, before all tests. */
export async function setup(): Promise<void> {
  if (!existsSync(path.join(root, 'dist/page')))
    execFileSync(process.execPath, [path.join(root, 'build/build-page.ts')]);
  const endToEnd = path.join(import.meta.dirname, 'end-to-end');
  await stageProgram({
    stage: STAGE,
    platform: `${process.platform}-${process.arch}`,
    more: {
      'gateway-process': path.join(endToEnd, 'gateway-process.ts'),
      'paced-store-thread': path.join(endToEnd, 'paced-store-thread.ts'),
    },
  });
}
