import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Architecture } from './architectures.ts';

const root = path.resolve(import.meta.dirname, '..');

/** The binary of `npm run build:binary`. Throws a sentence that says how to make it if it is missing. */
export function builtBinary(arch: Architecture, folder = path.join(root, 'dist')): string {
  const file = path.join(folder, `plantgate-linux-${arch}`);
  if (existsSync(file)) return file;
  throw new Error(`${path.relative(root, file)} is missing: run "npm run build:binary -- ${arch}" first`);
}
