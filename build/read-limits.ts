import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '..');

export interface Limit {
  readonly name: string;
  readonly value: number;
  /** The comment in the source, or null. */
  readonly comment: string | null;
  readonly file: string;
}

/** The limits in the object LIMITS of one source: numbers by importing it, words from its comments. */
export async function limitsOf(file: string): Promise<readonly Limit[]> {
  const { LIMITS } = (await import(pathToFileURL(path.join(root, file)).href)) as { LIMITS: Record<string, number> };
  const { text, source } = parsed(file);
  const limits: Limit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) {
      const name = node.name.getText(source);
      limits.push({ name, value: LIMITS[name] ?? Number.NaN, comment: commentOf(node, text), file });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return limits;
}

/** The constants MAX_… at the top of the sources in a folder, whose numbers are written out there. */
export function constantsIn(folder: string): readonly Limit[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: root }).toSorted();
  return files.flatMap((file) => {
    const { text, source } = parsed(file);
    return source.statements.filter(ts.isVariableStatement).flatMap((statement) =>
      statement.declarationList.declarations.flatMap(({ name, initializer }) => {
        const value = numberOf(initializer?.getText(source) ?? '');
        if (!/^MAX_/.test(name.getText(source)) || value === null) return [];
        return [{ name: name.getText(source), value, comment: commentOf(statement, text), file }];
      }),
    );
  });
}

/** The tests that name a limit of `file`. */
export function testsOf(file: string, name: string): readonly string[] {
  const isNamed = new RegExp(`\\bLIMITS\\.${name}\\b|\\{[^}]*\\b${name}\\b[^}]*\\} = LIMITS`);
  return globSync('test/**/*.test.ts', { cwd: root })
    .toSorted()
    .filter((test) => {
      const text = readFileSync(path.join(root, test), 'utf8');
      return text.includes(file) && isNamed.test(text);
    });
}

function parsed(file: string): { readonly text: string; readonly source: ts.SourceFile } {
  const text = readFileSync(path.join(root, file), 'utf8');
  return { text, source: ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true) };
}

/** The value of a product of numbers; null for anything else. */
function numberOf(expression: string): number | null {
  if (!/^[\d_]+( \* [\d_]+)*$/.test(expression)) return null;
  return expression.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

/** The comment right above a node; a comment with an empty line behind it is about the whole file. */
function commentOf(node: ts.Node, text: string): string | null {
  const last = ts.getLeadingCommentRanges(text, node.pos)?.at(-1);
  if (last === undefined || text.startsWith('\n\n', last.end)) return null;
  return text
    .slice(last.pos, last.end)
    .replace(/^(\/\*\*?|\/\/)|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim();
}
