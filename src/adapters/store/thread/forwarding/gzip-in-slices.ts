import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/** The quickest: what is sent is text that shrinks to a tenth anyway. */
const GZIP_LEVEL = 1;
/** Compressed in a few milliseconds, for commits wait for it. */
const MEMBER_BYTES = 262_144;

/**
 * Bytes as gzip of several members (RFC 1952), compressed in this thread: node's asynchronous gzip takes threads that are
 * as important as the main thread, which would wait for a processor.
 */
export async function gzipInSlices(bytes: Uint8Array): Promise<Buffer> {
  const members: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MEMBER_BYTES) {
    members.push(gzipSync(bytes.subarray(at, at + MEMBER_BYTES), { level: GZIP_LEVEL }));
    await nextTurn();
  }
  return Buffer.concat(members);
}
