import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { programFile } from '../../../runtime/program-files.ts';
import { LIMITS } from '../limits.ts';

/** esbuild sets it in the bundled program, which brings these files with it. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

/** Folders of the repository whose texts are served. */
export const TEXT_FOLDERS = ['docs', 'firmware-samples'] as const;
export type TextFolder = (typeof TEXT_FOLDERS)[number];

/** The texts of a folder, each by its name, such as `c/plantgate.h`, in the order in which they are listed. */
export type TextFiles = ReadonlyMap<string, Buffer>;

/** Names that need no escaping in an address or in HTML. Hidden files, pictures and products of a compiler are no texts. */
const NAME = /^(\w[\w-]*\/)*(\w[\w.-]*\.(c|h|cpp|ino|st|scl|py|sh|json|yaml|md)|Makefile)$/;

/** Reads the texts of a folder into memory at start, so that an installer without internet has them. */
export async function readTextFiles(folder: TextFolder): Promise<TextFiles> {
  if (typeof PLANTGATE_BUNDLED === 'undefined') return readFolder(folder);
  // One file for each folder in the bundled program (build/stage-program.ts).
  const texts: readonly [string, string][] = JSON.parse(programFile(`${folder}.json`).toString());
  return new Map(texts.map(([name, text]) => [name, Buffer.from(text)]));
}

async function readFolder(folder: TextFolder): Promise<TextFiles> {
  const directory = path.resolve(import.meta.dirname, '../../../..', folder);
  const names = (await readdir(directory, { recursive: true }))
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => NAME.test(name))
    .sort(folderByFolder)
    .slice(0, LIMITS.textFiles);
  const read = await Promise.all(
    names.map(async (name) => [name, await readFile(path.join(directory, name))] as const),
  );
  return new Map(read.filter(([, text]) => text.length <= LIMITS.textFileBytes));
}

/** The README first, then one folder after the other. */
function folderByFolder(one: string, other: string): number {
  const [first, second] = [one, other].map((name) => (name.includes('/') ? `1${name}` : `0${name}`));
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
