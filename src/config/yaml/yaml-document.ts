import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from 'yaml';
import { offsetTooDeep } from './yaml-depth.ts';
import { MAX_YAML_DEPTH } from './yaml-limits.ts';
import { YAML_RULES } from './yaml-rules.ts';

/** The tree of a YAML text, its lines, and the complaints of the parser. */
export interface YamlDocument {
  readonly tree: Document.Parsed;
  readonly lines: LineCounter;
  readonly complaints: readonly { readonly offset: number; readonly message: string }[];
}

const TOO_DEEP = `at most ${MAX_YAML_DEPTH} levels`;

// Keys given twice are found when values are read: the parser's own check takes quadratic time on a large map.
const OPTIONS = { stringKeys: true, uniqueKeys: false, prettyErrors: false, resolveKnownTags: false } as const;

/** Parses YAML 1.2. */
export function parseYaml(text: string): YamlDocument {
  const lines = new LineCounter();
  const tokens = parseTokens(text, lines);
  const tooDeep = offsetTooDeep(tokens, MAX_YAML_DEPTH);
  if (tooDeep !== null) {
    return { tree: compose([], 0).tree, lines, complaints: [{ offset: tooDeep, message: TOO_DEEP }] };
  }
  const { tree, second } = compose(tokens, text.length);
  const complaints = [...tree.errors, ...tree.warnings].map(({ pos, code }) => ({
    offset: pos[0],
    message: YAML_RULES[code],
  }));
  if (second !== undefined) complaints.push({ offset: second.range[0], message: YAML_RULES.MULTIPLE_DOCS });
  return { tree, lines, complaints };
}

function parseTokens(text: string, lines: LineCounter): readonly CST.Token[] {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) for (const token of parser.next(lexeme)) tokens.push(token);
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function compose(tokens: readonly CST.Token[], endOffset: number) {
  const [tree, second] = new Composer(OPTIONS).compose(tokens, true, endOffset);
  if (tree === undefined) throw new RangeError('the YAML parser gave no document');
  return { tree, second };
}
