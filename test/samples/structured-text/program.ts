import { Body, type Library } from './body.ts';
import { readUnit, type Unit } from './declarations.ts';
import { STANDARD_FUNCTIONS } from './standard-functions.ts';
import { TokenReader } from './token-reader.ts';

/** The variables of a block while it runs, by their names in small letters. */
export type Memory = Record<string, boolean | number | string>;

export interface Block {
  readonly unit: Unit;
  readonly memory: Memory;
  /** One cycle of the controller. */
  readonly cycle: () => void;
}

/** Checks a file of structured text or SCL with one unit, and gives it ready to run. */
export function compile(source: string, isScl: boolean, library: Library = {}): Block {
  const reader = new TokenReader(source);
  const unit = readUnit(reader);
  const end = `END_${unit.kind}`;
  const code = new Body(reader, unit, library, isScl).statements(end);
  reader.take(end);
  reader.skip(';');
  if (reader.next.kind !== 'end') throw reader.fault(`${reader.next.text} stands behind ${end}`);
  const memory = initial(unit);
  const functions = Object.fromEntries(Object.entries(STANDARD_FUNCTIONS).map(([name, { run }]) => [name, run]));
  const run = new Function('v', 'f', code);
  return { unit, memory, cycle: () => cut(unit, memory, () => run(memory, functions)) };
}

/** A text that is too long is cut off, as on a controller. */
function cut(unit: Unit, memory: Memory, run: () => void): void {
  run();
  for (const { name, length } of unit.variables) {
    const value = memory[name.toLowerCase()];
    if (length !== null && typeof value === 'string') memory[name.toLowerCase()] = value.slice(0, length);
  }
}

function initial({ variables }: Unit): Memory {
  return Object.fromEntries(
    variables.map(({ name, type, initial }) => {
      const otherwise = type === 'BOOL' ? false : type === 'STRING' ? '' : 0;
      return [name.toLowerCase(), initial === null ? otherwise : JSON.parse(initial)];
    }),
  );
}
