import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** The source files of `src`, by path from the root. */
function sources(): Map<string, string> {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => path.join('src', name));
  return new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

/** The files of `src` that each file of `src` names behind one of these words: by default those that it imports. */
export function ownImports(pattern = /(?:from|import) '(\.[^']+)'/g): Map<string, ReadonlySet<string>> {
  const texts = sources();
  const targets = (file: string, text: string) =>
    [...text.matchAll(pattern)].map(([, target = '']) => path.join(path.dirname(file), target));
  return new Map(
    [...texts].map(([file, text]) => [file, new Set(targets(file, text).filter((target) => texts.has(target)))]),
  );
}

/** Nine of ten files import at most this many others. */
export function mostOwnImports(imported: ReadonlyMap<string, ReadonlySet<string>>): number {
  const counts = [...imported.values()].map(({ size }) => size).sort((one, other) => one - other);
  return counts[Math.floor(counts.length * 0.9)] ?? 0;
}
