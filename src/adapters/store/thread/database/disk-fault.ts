import Database from 'better-sqlite3';
import { errorCode } from '../../../../domain/error-code.ts';

/** Classifies an error of SQLite or of the file system. */
export type DiskFault = 'full' | 'failing' | 'corrupt' | 'busy' | 'none';

const SYSTEM_CODES: Readonly<Record<string, DiskFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'failing',
  EROFS: 'failing',
};

/** SQLite's result codes begin with these; extended codes add to them (SQLITE_IOERR_WRITE). */
const SQLITE_PREFIXES: readonly (readonly [string, DiskFault])[] = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR', 'failing'],
  ['SQLITE_CANTOPEN', 'failing'],
  ['SQLITE_READONLY', 'failing'],
  ['SQLITE_NOMEM', 'failing'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
  ['SQLITE_BUSY', 'busy'],
];

/** Gives the fault of the disk behind an error; `none` if the error does not come from the disk. */
export function diskFault(error: unknown): DiskFault {
  if (error instanceof Database.SqliteError) {
    return SQLITE_PREFIXES.find(([prefix]) => error.code.startsWith(prefix))?.[1] ?? 'none';
  }
  return SYSTEM_CODES[errorCode(error) ?? ''] ?? 'none';
}

export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? `${error.message} (${String(error.code)})` : error.message;
}
