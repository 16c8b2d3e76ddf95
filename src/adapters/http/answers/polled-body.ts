import { webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';

/** A shorter answer is as cheap to send as to compare. */
const SMALL_BYTES = 1_024;
/** A poll of thousands of records must not cost seconds of the processor. */
const COMPRESSION_LEVEL = 1;

/** Headers for browsers are longer than all else in a short answer. */
const FOR_BROWSERS = /^(?:x-|cross-origin-|content-security-policy|origin-agent-cluster|referrer-policy)/;

const pack = promisify(gzip);

/**
 * The body of an answer to a gateway, which asks for the same lists every few seconds: nothing with status 304 if it has
 * this answer already (ETag), else compressed if it takes that. Threads of Node do both, so that machines do not wait.
 */
export async function polledBody(context: Context, bytes: Buffer<ArrayBuffer>): Promise<Buffer | null> {
  for (const name of context.res.getHeaderNames()) if (FOR_BROWSERS.test(name)) context.remove(name);
  if (bytes.length < SMALL_BYTES) return bytes;
  const own = context.res.getHeader('ETag');
  const tag = typeof own === 'string' ? own : await hashTag(bytes);
  context.set('ETag', tag);
  context.vary('Accept-Encoding');
  if (context.get('If-None-Match') === tag) return null;
  if (context.acceptsEncodings('gzip', 'identity') !== 'gzip') return bytes;
  context.set('Content-Encoding', 'gzip');
  return pack(bytes, { level: COMPRESSION_LEVEL });
}

async function hashTag(bytes: Buffer<ArrayBuffer>): Promise<string> {
  return `W/"${Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('base64url')}"`;
}
