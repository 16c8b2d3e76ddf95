import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';
import { ownNetworks } from './own-networks.ts';
import { Responder, type ResponderNews, type ResponderOptions } from './responder.ts';

/** The shortest time between two reports of the same trouble. */
const TOLD_AGAIN_MS = 60_000;

export interface DiscoveryThreadOptions extends ResponderOptions {
  /** Only tests announce on the loopback interface. */
  readonly onLoopback: boolean;
}

/** The thread that answers for the gateway's name. For a worker with DiscoveryThreadOptions; any message ends it. */
function runDiscoveryThread(): void {
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
  const { onLoopback, ...options } = workerData as DiscoveryThreadOptions;
  const responder = new Responder(options, {
    socket: createSocket({ type: 'udp4', reuseAddr: true }),
    networks: () => ownNetworks(onLoopback),
    random: Math.random,
    tell,
  });
  port.once('message', () => void responder.close().then(() => process.exit()));
  void responder.start();
}

runDiscoveryThread();
