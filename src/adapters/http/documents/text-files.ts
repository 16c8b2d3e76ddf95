import { programFile, programFileNames } from '../../../runtime/program-files.ts';
import { LIMITS } from '../limits.ts';

/** Folders of the repository whose texts are served. */
export const TEXT_FOLDERS = ['docs', 'firmware-samples'] as const;
export type TextFolder = (typeof TEXT_FOLDERS)[number];

/** The texts of a folder, each by its name, such as `c/plantgate.h`, in the order in which they are listed. */
export type TextFiles = ReadonlyMap<string, Buffer>;

/** Names that need no escaping in an address or in HTML. Hidden files, pictures and products of a compiler are no texts. */
const NAME = /^(\w[\w-]*\/)*(\w[\w.-]*\.(c|h|cpp|ino|st|scl|py|sh|json|yaml|md)|Makefile)$/;

/** Gives the texts of a folder, which the program brings with it: an installer without internet has them. */
export function readTextFiles(folder: TextFolder): TextFiles {
  const names = programFileNames(folder).filter((name) => NAME.test(name));
  const read = names
    .sort(folderByFolder)
    .slice(0, LIMITS.textFiles)
    .map((name) => [name, programFile(`${folder}/${name}`)] as const);
  return new Map(read.filter(([, text]) => text.length <= LIMITS.textFileBytes));
}

/** The README first, then one folder after the other. */
function folderByFolder(one: string, other: string): number {
  const [first, second] = [one, other].map((name) => (name.includes('/') ? `1${name}` : `0${name}`));
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
