import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { initWasm } from '@resvg/resvg-wasm';
import { errorMessage } from '../../domain/error-text.ts';
import { programFile } from '../../runtime/program-files.ts';
import type { DrawAnswer, DrawingThreadData, DrawRequest } from './protocol.ts';
import { thumbnailOf } from './thumbnail.ts';

/** esbuild sets it in the bundled program, which brings the renderer with it. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

/** The drawing thread: draws one profile after the other until it is ended. For a worker with DrawingThreadData. */
export async function runDrawingThread(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('profiles are drawn in a worker thread');
  const { wasmFile } = workerData as DrawingThreadData;
  await initWasm(typeof PLANTGATE_BUNDLED === 'undefined' ? await readFile(wasmFile) : programFile(wasmFile));
  port.on('message', (request: DrawRequest) => port.postMessage(answerTo(request)));
}

function answerTo({ id, drawn }: DrawRequest): DrawAnswer {
  try {
    return { id, dataUrl: thumbnailOf(drawn) };
  } catch (error) {
    return { id, fault: errorMessage(error) };
  }
}
