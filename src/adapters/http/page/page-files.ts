import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Units } from '../../../domain/units.ts';

/** esbuild sets it in the single binary, where the page lies beside the program. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

export interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

/** The built page: each file by its path, `/index.html` for one. */
export type PageFiles = ReadonlyMap<string, PageFile>;

export const INDEX = '/index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The folder into which the build put the page (build/build-page.ts). */
function pageFolder(): string {
  if (typeof PLANTGATE_BUNDLED !== 'undefined') return path.join(import.meta.dirname, 'page');
  return path.resolve(import.meta.dirname, '../../../../dist/page');
}

/** Reads the built page into memory, some 200 kB; empty if it was not built. */
export async function readPageFiles(): Promise<PageFiles> {
  const folder = pageFolder();
  // One folder after the other: the file system within the single binary lists no subfolders.
  const [top, assets] = await Promise.all(
    ['', 'assets'].map((name) => readdir(path.join(folder, name)).catch(nothingIfMissing)),
  );
  const names = [...(top ?? []), ...(assets ?? []).map((name) => path.join('assets', name))];
  const files = names.filter((name) => TYPES[path.extname(name)] !== undefined);
  const read = files.map(async (name): Promise<[string, PageFile]> => {
    const file = path.join(folder, name);
    const [plain, gzip] = await Promise.all([readFile(file), readFile(`${file}.gz`)]);
    return [`/${name.split(path.sep).join('/')}`, { type: TYPES[path.extname(name)] ?? '', plain, gzip }];
  });
  return new Map(await Promise.all(read));
}

/** The page in the tenant's units, which its document names: they are known before anything is shown, and no call asks for them. */
export async function inUnits(files: PageFiles, units: Units): Promise<PageFiles> {
  const index = files.get(INDEX);
  if (index === undefined || units === 'imperial') return files;
  const plain = Buffer.from(index.plain.toString().replace('<html', `<html data-units="${units}"`));
  return new Map([...files, [INDEX, { ...index, plain, gzip: await promisify(gzip)(plain) }]]);
}

function nothingIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
