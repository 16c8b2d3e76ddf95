import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { programFile } from '../../../engine/program-files.ts';
import { LIMITS } from '../limits.ts';

/** esbuild sets it in the bundled program, which brings the samples with it. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

/** The firmware samples: each text by its name, such as `c/plantgate.h`, in the order in which they are listed. */
export type SampleFiles = ReadonlyMap<string, Buffer>;

/** Names that need no escaping in an address or in HTML. Hidden files and products of a compiler are no samples. */
const NAME = /^(\w[\w-]*\/)*(\w[\w-]*\.(c|h|cpp|ino|st|scl|py|sh|json|md)|Makefile)$/;

/** Reads the samples into memory at start, so that an installer without internet has them. */
export async function readSampleFiles(): Promise<SampleFiles> {
  if (typeof PLANTGATE_BUNDLED === 'undefined') return readFolder();
  // One file in the bundled program (build/stage-program.ts).
  const texts: readonly [string, string][] = JSON.parse(programFile('firmware-samples.json').toString());
  return new Map(texts.map(([name, text]) => [name, Buffer.from(text)]));
}

async function readFolder(): Promise<SampleFiles> {
  const folder = path.resolve(import.meta.dirname, '../../../../firmware-samples');
  const names = (await readdir(folder, { recursive: true }))
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => NAME.test(name))
    .sort(folderByFolder)
    .slice(0, LIMITS.sampleFiles);
  const read = await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))] as const));
  return new Map(read.filter(([, text]) => text.length <= LIMITS.sampleBytes));
}

/** The README first, then one folder after the other. */
function folderByFolder(one: string, other: string): number {
  const [first, second] = [one, other].map((name) => (name.includes('/') ? `1${name}` : `0${name}`));
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
