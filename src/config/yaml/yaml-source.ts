import { Composer, type CST, type Document, isMap, isSeq, Lexer, LineCounter, Parser, type YAMLError } from 'yaml';
import type { Result } from '../../domain/result.ts';
import { type Path, pathText } from '../../validation/fault-path.ts';
import type { LocatedFault } from '../located-fault.ts';
import { MAX_YAML_COMPLAINTS, MAX_YAML_DEPTH } from './yaml-limits.ts';
import { keyOf, offsetOf, readValues } from './yaml-values.ts';

/** A YAML file that was read: its value, and the places of its parts. */
export interface YamlSource {
  /** Null for a file without content. */
  readonly value: unknown;
  /** Line and column, from 1, of a value or a key, or of the nearest surrounding part if it is missing. */
  locate(path: Path, part: 'key' | 'value'): { readonly line: number; readonly column: number };
}

export type YamlReading = Result<YamlSource, { readonly faults: readonly LocatedFault[] }>;

interface FileLimits {
  readonly file: string;
  readonly maxBytes: number;
}

/** Reads YAML; every fault names the file and the place. Text may come as bytes, which must be UTF-8. */
export function readYaml(source: string | Uint8Array, { file, maxBytes }: FileLimits): YamlReading {
  const refuse = (found: string, expected: string): YamlReading => {
    return { ok: false, faults: [{ file, line: 1, column: 1, path: 'YAML', found, expected }] };
  };
  if (source.length > maxBytes) return refuse(`${source.length} bytes`, `at most ${maxBytes} bytes`);
  const text = typeof source === 'string' ? source : decode(source);
  if (text === null) return refuse(startsWithUtf16Mark(source) ? 'UTF-16' : 'bytes that are not UTF-8', 'UTF-8 text');
  const document = parseYaml(text);
  if (document.complaints.length > 0) return { ok: false, faults: complaintFaults(document, file) };
  const { value, faults } = readValues(document.tree);
  if (faults.length === 0) {
    return { ok: true, value, locate: (path, part) => positionAt(document, offsetAt(document, path, part)) };
  }
  return {
    ok: false,
    faults: faults.map(({ path, offset, found, expected }) => {
      return { file, ...positionAt(document, offset), path: pathText(path), found, expected };
    }),
  };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function startsWithUtf16Mark(source: string | Uint8Array): boolean {
  return (source[0] === 0xff && source[1] === 0xfe) || (source[0] === 0xfe && source[1] === 0xff);
}

/** The text at that place is not repeated, because it may be a secret. */
function complaintFaults(document: YamlDocument, file: string): readonly LocatedFault[] {
  return document.complaints.slice(0, MAX_YAML_COMPLAINTS).map(({ offset, message }) => {
    const expected = `valid YAML: ${message}`;
    return { file, ...positionAt(document, offset), path: 'YAML', found: 'a fault of syntax', expected };
  });
}

function positionAt({ lines }: YamlDocument, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function offsetAt({ tree }: YamlDocument, path: Path, part: 'key' | 'value'): number {
  let node: unknown = tree.contents;
  let offset = offsetOf(node) ?? 0;
  for (const segment of path) {
    const step = stepInto(node, segment);
    if (step === null) return offset;
    node = step.value;
    // The first line of a nested block is the line of its key.
    const inside = part === 'value' && !isMap(node) && !isSeq(node) ? offsetOf(node) : null;
    offset = inside ?? offsetOf(step.key) ?? offset;
  }
  return offset;
}

function stepInto(node: unknown, segment: string | number): { key: unknown; value: unknown } | null {
  if (isSeq(node)) {
    const item = typeof segment === 'number' ? node.items[segment] : undefined;
    return item === undefined ? null : { key: item, value: item };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find((candidate) => keyOf(candidate) === segment);
  return pair === undefined ? null : { key: pair.key, value: pair.value };
}

/** The tree of a YAML text, its lines, and the complaints of the parser. */
interface YamlDocument {
  readonly tree: Document.Parsed;
  readonly lines: LineCounter;
  readonly complaints: readonly { readonly offset: number; readonly message: string }[];
}

const TOO_DEEP = `at most ${MAX_YAML_DEPTH} levels`;

// Keys given twice are found when values are read: the parser's own check takes quadratic time on a large map.
const OPTIONS = { stringKeys: true, uniqueKeys: false, prettyErrors: false, resolveKnownTags: false } as const;

/** Parses YAML 1.2. */
function parseYaml(text: string): YamlDocument {
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

interface Nested {
  readonly token: CST.Token;
  readonly depth: number;
}

/**
 * The offset at which lists and maps first nest deeper than `maxDepth`, or null. To be called before a document is
 * composed, because composing is recursive, and when the stack ends it tries again at every level above.
 */
function offsetTooDeep(tokens: readonly CST.Token[], maxDepth: number): number | null {
  const open = tokens.map((token): Nested => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > maxDepth) return next.token.offset;
    for (const inner of innerTokens(next)) open.push(inner);
  }
  return null;
}

/** A token's contents. A list or map has the depth of its place, its contents are one level deeper. */
function innerTokens({ token, depth }: Nested): readonly Nested[] {
  if (token.type === 'document') return token.value === undefined ? [] : [{ token: token.value, depth }];
  if (!('items' in token)) return [];
  return token.items
    .flatMap(({ key, value }) => [key, value])
    .flatMap((inner) => (inner ? [{ token: inner, depth: depth + 1 }] : []));
}

/**
 * The rule of YAML that each fault of syntax breaks. The parser's own words are not used, because they may quote a
 * secret.
 */
const YAML_RULES: Readonly<Record<YAMLError['code'], string>> = {
  ALIAS_PROPS: 'an alias has neither anchor nor tag',
  BAD_ALIAS: 'an alias names an anchor that stands before it',
  BAD_COLLECTION_TYPE: 'a tag fits the kind of its value',
  BAD_DIRECTIVE: 'a line that begins with % is a known directive',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins a known escape',
  BAD_INDENT: 'what belongs together is indented alike',
  BAD_PROP_ORDER: 'anchors and tags stand right before their value',
  BAD_SCALAR_START: 'a text that begins with @, ` or another sign of YAML stands in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a map or list begins on a line of its own; a text with ": " in it stands in quotes',
  BLOCK_IN_FLOW: 'within { } and [ ] everything has this form',
  DUPLICATE_KEY: 'each key stands once',
  IMPOSSIBLE: 'the text can be parsed',
  KEY_OVER_1024_CHARS: 'a key has at most 1024 characters',
  MISSING_CHAR: 'quotes, brackets, commas and colons are all there',
  MULTILINE_IMPLICIT_KEY: 'a key stands on one line and is followed by a colon',
  MULTIPLE_ANCHORS: 'a value has at most one anchor',
  MULTIPLE_DOCS: 'a file holds one document',
  MULTIPLE_TAGS: 'a value has at most one tag',
  NON_STRING_KEY: 'a key is a text',
  RESOURCE_EXHAUSTION: 'aliases do not multiply',
  TAB_AS_INDENT: 'lines are indented by spaces, not by tabs',
  TAG_RESOLVE_FAILED: 'a tag is one of YAML’s own',
  UNEXPECTED_TOKEN: 'nothing stands behind a value that has ended',
};
