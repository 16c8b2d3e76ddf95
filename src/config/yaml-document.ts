import { Composer, type CST, type Document, isMap, isSeq, Lexer, LineCounter, Parser, type YAMLSeq } from 'yaml';
import { offsetTooDeep } from './yaml-depth.ts';
import { MAX_YAML_DEPTH } from './yaml-limits.ts';

/** The tree of a YAML text, its lines, and what the parser has against it. */
export interface YamlDocument {
  readonly tree: Document.Parsed;
  readonly lines: LineCounter;
  readonly complaints: readonly { readonly offset: number; readonly message: string }[];
}

const TOO_DEEP = `At most ${MAX_YAML_DEPTH} levels`;
const LEXEMES_PER_SLICE = 2_000;
const ENTRIES_PER_SLICE = 100;

// Keys given twice are found when values are read: the parser's own check takes quadratic time on a large map.
const OPTIONS = { stringKeys: true, uniqueKeys: false, prettyErrors: false, resolveKnownTags: false } as const;

/**
 * Parses YAML 1.2. Yields every few milliseconds, so that whoever runs it can let other work pass: block lists below the
 * root, as a large plant has them, are composed in parts and then put together.
 */
export function* parseYaml(text: string): Generator<void, YamlDocument> {
  const lines = new LineCounter();
  const tokens = yield* parseTokens(text, lines);
  const tooDeep = yield* offsetTooDeep(tokens, MAX_YAML_DEPTH);
  if (tooDeep !== null) {
    return { tree: compose([], 0).tree, lines, complaints: [{ offset: tooDeep, message: TOO_DEEP }] };
  }
  // The last item stays: where a list ends is where the composer looks for the next key.
  const lists = tokens
    .flatMap(listsBelowRoot)
    .map((token) => ({ token, items: token.items.splice(0, token.items.length - 1) }));
  const { tree, second } = compose(tokens, text.length);
  const problems = [...tree.errors, ...tree.warnings];
  const nodes = listNodes(tree);
  for (const { token, items } of lists) {
    const list = nodes.get(token.offset);
    const last = list?.items.splice(0) ?? [];
    for (let first = 0; first < items.length; first += ENTRIES_PER_SLICE) {
      const part = composeList({ ...token, items: items.slice(first, first + ENTRIES_PER_SLICE) });
      problems.push(...part.errors, ...part.warnings);
      if (isSeq(part.contents)) list?.items.push(...part.contents.items);
      yield;
    }
    list?.items.push(...last);
  }
  const complaints = problems.map(({ pos, message }) => ({ offset: pos[0], message }));
  if (second !== undefined) complaints.push({ offset: second.range[0], message: 'A file holds one document' });
  return { tree, lines, complaints };
}

function* parseTokens(text: string, lines: LineCounter): Generator<void, CST.Token[]> {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    count++;
    if (count % LEXEMES_PER_SLICE === 0) yield;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function compose(tokens: readonly CST.Token[], endOffset: number) {
  const [tree, second] = new Composer(OPTIONS).compose(tokens, true, endOffset);
  if (tree === undefined) throw new RangeError('the YAML parser gave no document');
  return { tree, second };
}

function listsBelowRoot(token: CST.Token): readonly CST.BlockSequence[] {
  if (token.type !== 'document' || token.value?.type !== 'block-map') return [];
  const lists = token.value.items.flatMap(({ value }) => (value?.type === 'block-seq' ? [value] : []));
  return lists.filter(({ items }) => items.length > ENTRIES_PER_SLICE);
}

function composeList(list: CST.BlockSequence): Document.Parsed {
  return compose([{ type: 'document', offset: list.offset, start: [], value: list }], list.offset).tree;
}

/** The lists below the root, by where they begin in the text. */
function listNodes(tree: Document.Parsed): ReadonlyMap<number, YAMLSeq> {
  const nodes = new Map<number, YAMLSeq>();
  if (!isMap(tree.contents)) return nodes;
  for (const { value } of tree.contents.items) {
    if (isSeq(value) && value.range) nodes.set(value.range[0], value);
  }
  return nodes;
}
