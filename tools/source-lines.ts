import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { mostOwnImports, ownImports } from './own-imports.ts';

/** The lines of `src` before version 0.1.0 was made lighter. From the first release on: those of the last release. */
const LINES_BEFORE = 84_391;

const root = path.resolve(import.meta.dirname, '../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(tsx?|css|html)$/.test(name),
);
const lines = files.map((name) => readFileSync(path.join(root, name), 'utf8').split('\n').length - 1);
const total = lines.reduce((sum, count) => sum + count, 0);
console.log(`src: ${total} lines in ${files.length} files (before: ${LINES_BEFORE})`);
console.log(`Nine of ten files import at most ${mostOwnImports(ownImports())} others of src.`);
