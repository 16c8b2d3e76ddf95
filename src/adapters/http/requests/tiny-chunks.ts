import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../limits.ts';

/**
 * Calls `cutOff` once if a body comes in so many tiny chunks that reading it would delay machines: each chunk costs
 * microseconds, and one read of the socket may hold ten thousand of them.
 */
export function whenChunksAreTiny(request: IncomingMessage, cutOff: () => void): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  let chunks = 0;
  let bytes = 0;
  let isCutOff = false;
  request.on('data', (chunk: Buffer) => {
    if (isCutOff) return;
    chunks += 1;
    bytes += chunk.length;
    if (bytes >= (chunks - LIMITS.tinyChunks) * LIMITS.averageChunkBytes) return;
    isCutOff = true;
    cutOff();
  });
}
