/** A piece of structured text. */
export interface Token {
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

export class SyntaxFault extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
  }
}

export function tokensOf(source: string): readonly Token[] {
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
