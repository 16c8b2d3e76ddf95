import { join } from 'node:path';
import { foundText } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import { unreadable } from './config-file.ts';
import { ConfigError } from './located-fault.ts';
import { readFileBounded } from './read-file.ts';

const MAX_BYTES = 1_024;

export const GATEWAY_NAME_PATTERN = '^[^\\u0000-\\u001f\\u007f]{1,128}$';

/** The file that keeps the `gatewayId` that was made from the host name (D-63). */
export function gatewayNameFileOf(dataDir: string): string {
  return join(dataDir, 'gateway-id');
}

/** The kept name; null if there is none yet, or if this user may not read the data directory. */
export function readGatewayName(dataDir: string): string | null {
  const file = gatewayNameFileOf(dataDir);
  const bytes = bytesOf(file);
  if (bytes === null) return null;
  const name = Buffer.from(bytes).toString('utf8').trim();
  if (new RegExp(GATEWAY_NAME_PATTERN).test(name)) return name;
  const expected = 'the name of this gateway; write gatewayId into plantgate.yaml and remove this file';
  throw new ConfigError([{ file, line: null, column: null, path: 'gatewayId', found: foundText(name), expected }]);
}

function bytesOf(file: string): Uint8Array | null {
  try {
    return readFileBounded(file, MAX_BYTES);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EACCES' || code === 'ENOTDIR') return null;
    throw unreadable(file, code ?? String(error));
  }
}
