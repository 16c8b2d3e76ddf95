/** Tokens, taken one after the other. Keywords count in any case. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = tokensOf(source);
  }

  get next(): Token {
    return this.ahead(0);
  }

  ahead(count: number): Token {
    const token = this.#tokens[this.#at + count] ?? this.#tokens.at(-1);
    if (token === undefined) throw new SyntaxFault(0, 'there is nothing');
    return token;
  }

  is(word: string): boolean {
    const { kind, text } = this.next;
    return (kind === 'name' || kind === 'sign') && text.toUpperCase() === word;
  }

  isOneOf(words: readonly string[]): boolean {
    return words.some((word) => this.is(word));
  }

  skip(word: string): boolean {
    if (!this.is(word)) return false;
    this.#at++;
    return true;
  }

  take(word: string): void {
    if (!this.skip(word)) throw this.fault(`expected ${word}, found ${this.next.text}`);
  }

  takeKind(kind: Token['kind']): string {
    const { next } = this;
    if (next.kind !== kind) throw this.fault(`expected a ${kind}, found ${next.text}`);
    this.#at++;
    return next.text;
  }

  fault(message: string): SyntaxFault {
    return new SyntaxFault(this.next.line, message);
  }
}

/** A piece of structured text. */
interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'sign' | 'end';
  readonly text: string;
  readonly line: number;
}

/**
 * Comments, pragmas and blanks are removed; `#name` and `"Name"` of SCL become plain names, other `"text"` is a wide
 * text.
 */
const PIECES = new RegExp(
  [
    String.raw`(?<gap>\s+|WSTRING#|\(\*[^]*?\*\)|//[^\n]*|\{[^}]*\})`,
    String.raw`'(?<text>(?:[^'$\n]|\$.)*)'`,
    String.raw`(?<at>%[IQM][XBWD]?(?:\*|[\d.]+))`,
    String.raw`(?<number>\d+(?:\.\d+)?)`,
    String.raw`(?:#(?<local>[A-Za-z_]\w*)|"(?<quoted>[A-Za-z_]\w*)"|(?<name>[A-Za-z_]\w*))`,
    String.raw`"(?<wide>[^"\n]*)"`,
    String.raw`(?<sign>:=|=>|<=|>=|<>|\.\.|[-+*/=<>();:,.[\]])`,
  ].join('|'),
  'y',
);

class SyntaxFault extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
  }
}

function tokensOf(source: string): readonly Token[] {
  // The name of a region is free text.
  const text = source.replaceAll(/^(\s*REGION)\b.*$/gm, '$1');
  const tokens: Token[] = [];
  let line = 1;
  PIECES.lastIndex = 0;
  while (PIECES.lastIndex < text.length) {
    const from = PIECES.lastIndex;
    const groups = PIECES.exec(text)?.groups;
    if (groups === undefined) throw new SyntaxFault(line, `${JSON.stringify(text.slice(from, from + 20))} is no token`);
    const token = tokenOf(groups, line);
    if (token !== null) tokens.push(token);
    line += text.slice(from, PIECES.lastIndex).split('\n').length - 1;
  }
  tokens.push({ kind: 'end', text: 'the end of the file', line });
  return tokens;
}

function tokenOf(groups: Readonly<Record<string, string | undefined>>, line: number): Token | null {
  const { gap, number, sign } = groups;
  const text = groups.text ?? groups.wide;
  if (gap !== undefined) return null;
  if (text !== undefined) return { kind: 'text', text: text.replaceAll(/\$(.)/g, '$1'), line };
  if (number !== undefined) return { kind: 'number', text: number, line };
  if (sign !== undefined) return { kind: 'sign', text: sign, line };
  return { kind: 'name', text: groups.local ?? groups.quoted ?? groups.name ?? groups.at ?? '', line };
}

interface Variable {
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
