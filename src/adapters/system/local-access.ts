import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CodedError, foundText, invalidInput } from '../../domain/error.ts';
import { errorCode } from '../../domain/error-code.ts';
import { writeOwnerOnly } from './owner-only-file.ts';

/** The address at which the running gateway answers on its own computer, and the key for the command line. */
export interface LocalAccess {
  readonly url: string;
  readonly key: string;
}

export const LOCAL_ACCESS_FILE = 'local-access.json';

/** Writes the access for the command line into the data directory. */
export function writeLocalAccess(dataDir: string, { url, key }: LocalAccess): Promise<void> {
  return writeOwnerOnly(path.join(dataDir, LOCAL_ACCESS_FILE), `${JSON.stringify({ url, key })}\n`);
}

/** While the access cannot be written (a full disk), it is tried again after this time. */
const RETRY_MS = 1_000;

/**
 * Writes the access, and tries again until it succeeds or is stopped: a gateway with a full disk still decides, and
 * only its command line has to wait. `onError` gets the reason each time.
 */
export async function writeLocalAccessFile(
  dataDir: string,
  access: LocalAccess,
  onError: (error: unknown) => void,
  retryMs = RETRY_MS,
): Promise<{ stop(): void }> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const leave = async (): Promise<void> => {
    try {
      await writeLocalAccess(dataDir, access);
    } catch (error) {
      if (stopped) return;
      onError(error);
      timer = setTimeout(() => void leave(), retryMs);
    }
  };
  await leave();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Reads the access that the gateway wrote. Rejects with `not-found` if the file does not exist (no gateway has run
 * there), `not-permitted` if it may not be read, `invalid-input` if its content is wrong.
 */
export async function readLocalAccess(dataDir: string): Promise<LocalAccess> {
  const file = path.join(dataDir, LOCAL_ACCESS_FILE);
  const body = jsonOf(await readText(file), file);
  const { url, key } = typeof body === 'object' && body !== null ? { url: undefined, key: undefined, ...body } : {};
  if (typeof url !== 'string' || !URL.canParse(url)) throw invalid(file, 'url', url, 'the address of the gateway');
  if (typeof key !== 'string') throw invalid(file, 'key', undefined, 'a key');
  return { url, key };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new CodedError('not-found', `${file} is not there`);
    if (code === 'EACCES' || code === 'EPERM') throw new CodedError('not-permitted', `${file} may not be read`);
    throw error;
  }
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidInput([{ path: file, found: foundText('text that is no JSON'), expected: 'a JSON object' }]);
  }
}

function invalid(file: string, field: string, found: unknown, expected: string): CodedError {
  return invalidInput([{ path: `${file}: ${field}`, found: foundText(found), expected }]);
}
