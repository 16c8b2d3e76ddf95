import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
/** The thread that reads plant files. */
export const PLANT_FILE_THREAD_FILE = path.join(STAGE, 'plant-file-thread.cjs');
/** The gateway with faults and a clock at hand. */
export const GATEWAY_PROCESS_FILE = path.join(STAGE, 'gateway-process.cjs');

/** A process that writes to the store until it is killed. */
export const KILLED_WRITER_FILE = path.join(STAGE, 'killed-writer.cjs');
/** A process whose threads are watched. */
export const WATCHED_PROCESS_FILE = path.join(STAGE, 'watched-process.cjs');

/** Before all tests: gives them a folder of their own for temporary files, and bundles the program. */
export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plantgate-test-'));
  // Some tests run the program as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  await bundleProgram();
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

export async function bundleProgram(): Promise<void> {
  if (!existsSync(path.join(root, 'dist/page')))
    execFileSync(process.execPath, [path.join(root, 'build/build-page.ts')]);
  await stageProgram({
    stage: STAGE,
    platform: `${process.platform}-${process.arch}`,
    more: {
      'gateway-process': path.join(root, 'test/end-to-end/gateway-process.ts'),
      'paced-store-thread': path.join(root, 'test/end-to-end/paced-store-thread.ts'),
      'killed-writer': path.join(root, 'test/adapters/store/killed-writer.ts'),
      'watched-process': path.join(root, 'test/adapters/system/watched-process.ts'),
    },
  });
}
