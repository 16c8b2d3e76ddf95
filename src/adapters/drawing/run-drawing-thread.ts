import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { errorMessage } from '../../domain/error-text.ts';
import { type Drawn, profileOutline } from '../../domain/profile/drawing.ts';
import { programFile } from '../../runtime/program-files.ts';
import type { DrawAnswer, DrawingThreadData, DrawRequest } from './protocol.ts';

/** esbuild sets it in the bundled program, which brings the renderer with it. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

/** The drawing thread: draws one profile after the other until it is ended. For a worker with DrawingThreadData. */
async function runDrawingThread(): Promise<void> {
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

const FRAME = { width: 256, height: 160 };

/** A profile as a small PNG on a transparent ground, as a data URL. The renderer must have been set up before. */
function thumbnailOf(drawn: Drawn): string {
  const picture = new Resvg(profileOutline(drawn, FRAME), { font: { loadSystemFonts: false } });
  try {
    const image = picture.render();
    try {
      return `data:image/png;base64,${Buffer.from(image.asPng()).toString('base64')}`;
    } finally {
      image.free();
    }
  } finally {
    picture.free();
  }
}

// A fault ends the thread, which tells the thread that started it.
void runDrawingThread();
