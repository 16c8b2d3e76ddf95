import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getAssetKeys, getRawAsset, isSea } from 'node:sea';

/** esbuild sets it in the bundled program, which has its files beside its scripts. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

/** Where the repository has the folders that the bundled program brings with it. */
const IN_REPOSITORY: Readonly<Record<string, string>> = {
  page: '../../dist/page',
  systemd: '../../systemd',
  docs: '../../docs',
  'firmware-samples': '../../firmware-samples',
  migrations: '../adapters/store/thread/database/migrations',
  'central-migrations': '../central/postgres/migrations',
};

/** Gives a file that the program brings with it, such as `page/index.html`: in the single binary from memory. */
export function programFile(name: string): Buffer {
  return isSea() ? Buffer.from(getRawAsset(name)) : readFileSync(fileOf(name));
}

/** Gives the names of the files in a folder that the program brings with it, relative to it; none if it is missing. */
export function programFileNames(folder: string): readonly string[] {
  if (isSea()) {
    const inside = getAssetKeys().filter((name) => name.startsWith(`${folder}/`));
    return inside.map((name) => name.slice(folder.length + 1));
  }
  const directory = fileOf(folder);
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => path.relative(directory, path.join(parentPath, name)));
}

function fileOf(name: string): string {
  if (typeof PLANTGATE_BUNDLED !== 'undefined') return path.join(import.meta.dirname, name);
  const [folder = '', ...rest] = name.split('/');
  return path.resolve(import.meta.dirname, IN_REPOSITORY[folder] ?? folder, ...rest);
}
