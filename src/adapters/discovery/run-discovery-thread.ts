import { parentPort, workerData } from 'node:worker_threads';
import { Responder, type ResponderNews, type ResponderOptions } from './responder.ts';

/** The shortest time between two reports of the same trouble. */
const TOLD_AGAIN_MS = 60_000;

/** The thread that answers for the gateway's name. For a worker with ResponderOptions; any message ends it. */
export function runDiscoveryThread(): void {
  const port = parentPort;
  if (port === null) throw new Error('discovery runs in a worker thread');
  const toldAt = new Map<string, number>();
  const tell = (news: ResponderNews) => {
    if (news.kind === 'trouble') {
      const nowMs = performance.now();
      if (nowMs - (toldAt.get(news.detail) ?? Number.NEGATIVE_INFINITY) < TOLD_AGAIN_MS) return;
      toldAt.set(news.detail, nowMs);
    }
    port.postMessage(news);
  };
  const responder = new Responder(workerData as ResponderOptions, tell);
  port.once('message', () => void responder.close().then(() => process.exit()));
  void responder.start();
}
