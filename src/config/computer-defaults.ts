import { isJsonObject } from '../domain/json/json-object.ts';

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
