import { access, readFile, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../../domain/error.ts';
import { errorCode } from '../../domain/error-code.ts';
import { parseUpdateOutcome, REQUESTED_UPDATE } from '../../domain/update/update-outcome.ts';
import type { UpdateFiles } from '../../flows/update/update-ports.ts';
import { incomingFile } from './incoming-file.ts';
import { verifyUpdateApart } from './verify-update-apart.ts';

/** The places by which root installs updates on this computer. */
export interface ApplyingPlaces {
  readonly trustedKeys: string;
  /** The unit that waits for a request. */
  readonly applyPath: string;
  /** Unit files of packages: one of them shows that a package manager owns the program. */
  readonly packagedUnits: readonly string[];
  readonly outcome: string;
}

export interface UpdateFilesOptions {
  readonly dataDir: string;
  /** Null if the program was not started as an installed service starts it. */
  readonly applying: ApplyingPlaces | null;
  /** The file (src/threads.ts) from which the verifying thread starts. */
  readonly threadEntry: URL | string;
}

const INCOMING = 'incoming.update';

/** The files of an update from the page. Both lie in the data directory itself, which only root could exchange. */
export function updateFiles({ dataDir, applying, threadEntry }: UpdateFilesOptions): UpdateFiles {
  const incoming = path.resolve(dataDir, INCOMING);
  const arriving = incomingFile(incoming);
  const requested = path.resolve(dataDir, REQUESTED_UPDATE);
  return {
    create: arriving.create,
    write: arriving.write,
    verify: async () => {
      if (applying === null) throw new CodedError('conflict', 'this gateway knows no keys of updates');
      return verifyUpdateApart({ file: incoming, trustedKeys: applying.trustedKeys }, threadEntry);
    },
    remove: arriving.remove,
    request: () => rename(incoming, requested),
    isRequested: () => isThere(requested),
    withdraw: () => unlink(requested).then(() => true, falseIfAbsent),
    obstacle: async () => {
      if (applying === null) return 'noService';
      const packaged = await Promise.all(applying.packagedUnits.map(isThere));
      if (packaged.includes(true)) return 'package';
      const unit = await textOrNull(applying.applyPath);
      return unit?.includes(`\nPathExists=${requested}\n`) === true ? null : 'noService';
    },
    outcome: async () => {
      const text = applying === null ? null : await textOrNull(applying.outcome);
      return text === null ? null : parseUpdateOutcome(text);
    },
  };
}

/** Removes what an earlier run left: an upload cannot go on, and a request that root did not take is out of date. */
export async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of [INCOMING, REQUESTED_UPDATE]) await rm(path.join(dataDir, name), { force: true });
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(() => true, falseIfAbsent);
}

function textOrNull(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    falseIfAbsent(error);
    return null;
  });
}

function falseIfAbsent(error: unknown): false {
  if (errorCode(error) === 'ENOENT') return false;
  throw error;
}
