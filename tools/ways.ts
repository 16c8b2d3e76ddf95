import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** One call of a way: a file below `src`, and what is called in it. */
export interface Step {
  readonly file: string;
  readonly calls: readonly string[];
}

export interface Way {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** The ways that docs/architecture.md lists: a heading `### The way of …`, and lines "1. `file`: `call`, `call` …". */
export function listedWays(): readonly Way[] {
  const text = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  return text
    .split(/^### The way of /m)
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = (section.split(/^## /m)[0] ?? '').split('\n');
      return { name, steps: lines.flatMap((line) => stepOf(line)) };
    });
}

function stepOf(line: string): readonly Step[] {
  const found = /^\d+\. `([^`]+)`: (.+)$/.exec(line);
  if (found === null) return [];
  const [, file = '', calls = ''] = found;
  return [{ file, calls: [...calls.matchAll(/`([^`]+)`/g)].map(([, call = '']) => call) }];
}

/**
 * Follows a way. Each call has to be declared in its file, and made by a file that comes before it. Gives what is wrong,
 * in words.
 */
export function brokenSteps({ steps }: Way): readonly string[] {
  const texts = steps.map(({ file }) => readFileSync(path.join(root, 'src', file), 'utf8'));
  return steps.flatMap(({ file, calls }, at) => {
    const isMadeBefore = texts.slice(0, at).some((text) => calls.some((call) => isNamed(text, call)));
    return [
      ...calls.filter((call) => !isNamed(texts[at] ?? '', call)).map((call) => `${file} does not declare ${call}`),
      ...(at > 0 && !isMadeBefore ? [`no file before ${file} calls ${calls.join(' or ')}`] : []),
    ];
  });
}

function isNamed(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])#?${name.replace(/^#/, '')}(?![\\w$])`).test(text);
}

/** The number of files on a way. */
export function lengthOf({ steps }: Way): number {
  return new Set(steps.map(({ file }) => file)).size;
}

if (import.meta.main) {
  for (const way of listedWays()) {
    console.log(`the way of ${way.name}: ${lengthOf(way)} files`);
    for (const fault of brokenSteps(way)) console.log(`  ${fault}`);
  }
}
