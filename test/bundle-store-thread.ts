import path from 'node:path';
import { bundleSources } from './end-to-end/bundle.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Where the tests' store thread is: hundreds of tests open a store, and one file loads ten times as fast as its sources. */
export const STORE_THREAD_FILE = path.join(root, 'node_modules/.cache/plantgate/bundled-store-thread.cjs');

/** Bundles the store thread once, before all tests. */
export async function setup(): Promise<void> {
  const source = path.join(root, 'src/adapters/store/thread/bundled-store-thread.ts');
  await bundleSources([source], path.dirname(STORE_THREAD_FILE));
}
