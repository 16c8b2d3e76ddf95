import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '..');
const docs = path.join(root, 'docs');
const ID = /\b(?:DEV|MQTT|HTTP|VAR|TASK|COIL|ORD|PROF|SYNC|AUTH|ERR|UP|D)-\d{2,3}\b/g;
const STATEMENT = /^- \*\*([A-Z]+-\d{2,3}|P-[A-Z-]+)\*\*( \*planned:\*)?/gm;

interface Statement {
  readonly id: string;
  readonly isPlanned: boolean;
}

/** Every requirement and decision in docs/decisions.md. */
export function statements(): readonly Statement[] {
  const text = readFileSync(path.join(docs, 'decisions.md'), 'utf8');
  return [...text.matchAll(STATEMENT)].map(([, id = '', planned]) => ({ id, isPlanned: planned !== undefined }));
}

/** The ids that need a test. */
export function idsToTest(): readonly string[] {
  return statements()
    .filter(({ isPlanned }) => !isPlanned)
    .map(({ id }) => id);
}

/** A place in a document, as `contract.md, Local API` names it. */
const PLACE = /\b([a-z-]+\.md), ([A-Z][^;:.,)(`]*)/g;

/** Ids, documents and headings that the sources and the tests name but `docs/` does not have, as `file: name`. */
export function unknownReferences(): readonly string[] {
  const known = new Set(statements().map(({ id }) => id));
  const documents = new Map(readdirSync(docs).map((name) => [name, headingsOf(name)]));
  const files = globSync('{src,test}/**/*.{ts,tsx}', { cwd: root });
  return files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const ids = [...text.matchAll(ID)].map(([id]) => id).filter((id) => !known.has(id));
    const names = [...text.matchAll(/\b[a-z-]+\.md\b/g)].map(([name]) => name).filter((name) => !documents.has(name));
    const headings = [...text.matchAll(PLACE)]
      .filter(
        ([, document = '', heading = '']) => documents.get(document)?.some((known) => isSame(known, heading)) === false,
      )
      .map(([place]) => place);
    return [...ids, ...names, ...headings].map((name) => `${file}: ${name}`);
  });
}

function headingsOf(document: string): readonly string[] {
  if (!document.endsWith('.md')) return [];
  const text = readFileSync(path.join(docs, document), 'utf8');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
}

/** A heading may be longer, like `Local API (…)`, and so may the sentence that names it, also over a line's end. */
function isSame(heading: string, named: string): boolean {
  const words = named.replaceAll(/\s*\*?\s*\n\s*\*?\s*/g, ' ').trim();
  return heading.startsWith(words) || words.startsWith(heading);
}

/** The ids in test titles. Those of a table's cases count, because they are part of its titles. */
export function namedIds(folder: string): ReadonlySet<string> {
  const named = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.test.ts')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true);
    for (const title of titlesIn(source))
      for (const [id] of title.matchAll(/\b(?:[A-Z]+-\d{2,3}|P-[A-Z]+(?:-[A-Z]+)*)\b/g)) named.add(id);
  }
  return named;
}

const TITLED = /^(it|test|describe)\b/;

function titlesIn(node: ts.Node): readonly string[] {
  const own = ts.isCallExpression(node) && TITLED.test(node.expression.getText()) ? titleTexts(node) : [];
  return [...own, ...node.getChildren().flatMap(titlesIn)];
}

/** The texts of a title and, in `it.each(table)(title, …)`, of the table. */
function titleTexts({ expression, arguments: [title] }: ts.CallExpression): readonly string[] {
  return [expression, title].flatMap((part) => (part === undefined ? [] : textsIn(part)));
}

function textsIn(node: ts.Node): readonly string[] {
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) return [node.text];
  if (ts.isFunctionLike(node)) return [];
  return node.getChildren().flatMap(textsIn);
}

if (process.argv[1] === import.meta.filename) {
  const named = namedIds(import.meta.dirname);
  const ids = idsToTest();
  const missing = ids.filter((id) => !named.has(id));
  const planned = statements().filter(({ isPlanned }) => isPlanned);
  console.log(`${ids.length - missing.length} of ${ids.length} ids are named by a test.`);
  console.log(
    `Without a test: ${missing.join(' ') || 'none'}. Planned: ${planned.map(({ id }) => id).join(' ') || 'none'}.`,
  );
}
