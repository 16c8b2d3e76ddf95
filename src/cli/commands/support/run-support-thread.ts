import { parentPort, workerData } from 'node:worker_threads';
import type { ConfigRequest } from '../../../config/load-config.ts';
import { makeBundle } from './support-bundle.ts';

/** Makes one support bundle and hands it over. For a worker with a ConfigRequest. */
async function runSupportThread(): Promise<void> {
  if (parentPort === null) throw new Error('a support bundle is made in a worker thread');
  const { archive } = await makeBundle(workerData as ConfigRequest, process.env);
  const bytes = new Uint8Array(archive);
  parentPort.postMessage(bytes, [bytes.buffer]);
}

// A fault ends the thread, which tells the thread that started it.
void runSupportThread();
