import type { TokenReader } from './token-reader.ts';

export interface Variable {
  readonly name: string;
  readonly type: string;
  /** Characters that a text holds, or null. */
  readonly length: number | null;
  readonly section: string;
  /** The initial value as JavaScript, or null. */
  readonly initial: string | null;
}

/** The declarations of a function block or a program. */
export interface Unit {
  readonly kind: 'FUNCTION_BLOCK' | 'PROGRAM';
  readonly name: string;
  readonly variables: readonly Variable[];
}

const SECTIONS = ['VAR_INPUT', 'VAR_OUTPUT', 'VAR_IN_OUT', 'VAR_TEMP', 'VAR'];

/** Reads the head of a unit, as far as its body. */
export function readUnit(reader: TokenReader): Unit {
  const kind = reader.is('PROGRAM') ? 'PROGRAM' : 'FUNCTION_BLOCK';
  reader.take(kind);
  const name = reader.takeKind('name');
  if (reader.skip('VERSION')) {
    reader.take(':');
    reader.takeKind('number');
  }
  const variables: Variable[] = [];
  while (reader.isOneOf(SECTIONS)) variables.push(...readSection(reader));
  reader.skip('BEGIN');
  const names = variables.map((variable) => variable.name.toLowerCase());
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined) throw reader.fault(`${twice} is declared twice`);
  return { kind, name, variables };
}

function readSection(reader: TokenReader): readonly Variable[] {
  const section = reader.takeKind('name').toUpperCase();
  const isConstant = reader.skip('CONSTANT');
  const variables: Variable[] = [];
  while (!reader.skip('END_VAR')) {
    const name = reader.takeKind('name');
    if (reader.skip('AT')) reader.takeKind('name');
    reader.take(':');
    const { type, length } = readType(reader);
    const initial = reader.skip(':=') ? readConstant(reader) : null;
    reader.take(';');
    variables.push({ name, type, length, section: isConstant ? 'CONSTANT' : section, initial });
  }
  return variables;
}

function readType(reader: TokenReader): { readonly type: string; readonly length: number | null } {
  if (reader.skip('ARRAY')) {
    reader.take('[');
    while (!reader.skip(']')) {
      if (!reader.skip('..')) reader.takeKind('number');
    }
    reader.take('OF');
    return { type: `ARRAY OF ${readType(reader).type}`, length: null };
  }
  let type = reader.takeKind('name').toUpperCase();
  while (reader.skip('.')) type += `.${reader.takeKind('name').toUpperCase()}`;
  const close = reader.skip('(') ? ')' : reader.skip('[') ? ']' : null;
  if (close === null) return { type, length: null };
  const length = Number(reader.takeKind('number'));
  reader.take(close);
  return { type, length };
}

function readConstant(reader: TokenReader): string {
  if (reader.next.kind === 'text') return JSON.stringify(reader.takeKind('text'));
  if (reader.next.kind === 'number') return reader.takeKind('number');
  const word = reader.takeKind('name').toUpperCase();
  if (word !== 'TRUE' && word !== 'FALSE') throw reader.fault(`${word} is no constant`);
  return word.toLowerCase();
}
