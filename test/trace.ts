import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** How many statements each area of the requirements ledger and of the decisions has. */
const AREAS: Readonly<Record<string, number>> = {
  DEV: 20,
  MQTT: 13,
  HTTP: 5,
  VAR: 4,
  TASK: 14,
  COIL: 5,
  ORD: 3,
  PROF: 7,
  SYNC: 6,
  AUTH: 2,
  ERR: 1,
  UP: 7,
  D: 31,
};

function idsOf(area: string): readonly string[] {
  return Array.from({ length: AREAS[area] ?? 0 }, (_, index) => `${area}-${String(index + 1).padStart(2, '0')}`);
}

/** Every requirement and decision id there is. */
export function allIds(): readonly string[] {
  return Object.keys(AREAS).flatMap(idsOf);
}

/** The ids that test titles name; those of a table's cases count, for they stand in its titles. */
export function namedIds(folder: string): ReadonlySet<string> {
  const named = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.test.ts')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true);
    for (const title of titlesIn(source)) for (const [id] of title.matchAll(/\b[A-Z]+-\d{2}\b/g)) named.add(id);
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
  const missing = allIds().filter((id) => !named.has(id));
  console.log(
    `${allIds().length - missing.length} of ${allIds().length} ids are named by a test; not named: ${missing.join(' ') || 'none'}`,
  );
}
