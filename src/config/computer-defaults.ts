import { join } from 'node:path';
import { foundText } from '../domain/error.ts';
import { isJsonObject } from '../domain/json/json.ts';
import { readUnlessForbidden } from './chosen-settings.ts';
import { ConfigError } from './located-fault.ts';

/** A longer file with the kept `gatewayId` is refused. */
const MAX_GATEWAY_NAME_BYTES = 1_024;

/** No address of the central server can name `.` and `..`. */
export const GATEWAY_NAME_PATTERN = '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f]{1,128}$';

/** The file that keeps the `gatewayId` that was made from the host name (D-63). */
export function gatewayNameFileOf(dataDir: string): string {
  return join(dataDir, 'gateway-id');
}

/** The kept name; null before the first start, and for a user who may not read the data directory. */
export function readGatewayName(dataDir: string): string | null {
  const file = gatewayNameFileOf(dataDir);
  const bytes = readUnlessForbidden(file, MAX_GATEWAY_NAME_BYTES);
  if (bytes === null) return null;
  const name = Buffer.from(bytes).toString('utf8').trim();
  if (new RegExp(GATEWAY_NAME_PATTERN).test(name)) return name;
  const expected = 'the name of this gateway; write gatewayId into plantgate.yaml and remove this file';
  throw new ConfigError([{ file, line: null, column: null, path: 'gatewayId', found: foundText(name), expected }]);
}

/** Defaults that depend on the computer. */
export interface ComputerDefaults {
  readonly gatewayId: string;
  readonly dataDir: string;
  readonly timeZone: string;
}

/** A configuration with these defaults where it says nothing. Malformed parts stay, for the check to refuse. */
export function withComputerDefaults(tree: unknown, { gatewayId, dataDir, timeZone }: ComputerDefaults): unknown {
  if (!isJsonObject(tree)) return tree;
  const { shifts = {} } = tree;
  return {
    ...withDefaults({ gatewayId, dataDir }, tree),
    shifts: isJsonObject(shifts) ? withDefaults({ timeZone }, shifts) : shifts,
  };
}

function withDefaults(defaults: object, given: object): object {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(said) };
}
