import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Units } from '../../../domain/units.ts';
import { programFile, programFileNames } from '../../../runtime/program-files.ts';

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

/** Gives the page that build/build-page.ts built, some 200 kB in memory; empty if it was not built. */
export function readPageFiles(): PageFiles {
  const names = programFileNames('page').filter((name) => TYPES[path.extname(name)] !== undefined);
  return new Map(names.map((name) => [`/${name}`, pageFile(name)]));
}

function pageFile(name: string): PageFile {
  const [plain, gzip] = [programFile(`page/${name}`), programFile(`page/${name}.gz`)];
  return { type: TYPES[path.extname(name)] ?? '', plain, gzip };
}

/** The settings in the page's document. The page knows them before its first call, also where nobody has signed in. */
export interface Tenant {
  readonly units: Units;
  /** An IANA name. */
  readonly timeZone: string;
  /** Gateways send here, also if none has come yet. */
  readonly isCentral: boolean;
  readonly hasSeveralPlants: boolean;
}

/** The page for a tenant. */
export async function pageOf(
  { units, timeZone, isCentral, hasSeveralPlants }: Tenant,
  files: PageFiles,
): Promise<PageFiles> {
  const index = files.get(INDEX);
  if (index === undefined) return files;
  const role = isCentral ? ' data-role="central"' : '';
  const plants = hasSeveralPlants ? ' data-plants="several"' : '';
  const named = `<html data-units="${units}" data-time-zone="${timeZone}"${role}${plants}`;
  const plain = Buffer.from(index.plain.toString().replace('<html', named));
  return new Map([...files, [INDEX, { ...index, plain, gzip: await promisify(gzip)(plain) }]]);
}
