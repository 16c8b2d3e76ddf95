import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreOpenError } from '../store-open-error.ts';
import { APPLICATION_ID } from '../thread/database/connection.ts';
import { diskFault, errorText } from '../thread/database/disk-fault.ts';
import { NEWEST_SCHEMA } from '../thread/database/migrations.ts';

/**
 * Turns a fresh copy into one file that is complete on disk and needs no other file beside it. Throws StoreOpenError
 * `disk`; it names the file `name` if the copy is no sound database, and the copy if its disk fails or is full.
 */
export function finishBackup(file: string, name = file): void {
  try {
    const connection = new Database(file, { fileMustExist: true });
    try {
      connection.pragma('journal_mode = DELETE');
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isOfDisk(error)) throw new StoreOpenError('disk', `${file}: ${errorText(error)}`);
    throw damaged(name, error);
  }
}

function isOfDisk(error: unknown): boolean {
  return ['full', 'failing'].includes(diskFault(error));
}

/**
 * Reads every page of a backup, or of a copy of the backup `name`. Throws StoreOpenError: `disk` if it is damaged or
 * belongs to another program, `newer-schema` if a newer program wrote it.
 */
export function verifyBackup(file: string, name = file): void {
  const connection = open(file);
  try {
    if (Number(connection.pragma('application_id', { simple: true })) !== APPLICATION_ID) {
      throw new StoreOpenError('disk', `${name} is a database of another program`);
    }
    const schema = Number(connection.pragma('user_version', { simple: true }));
    if (schema > NEWEST_SCHEMA) {
      const message = `${name} has schema ${schema}, this program knows ${NEWEST_SCHEMA}: use the newer program`;
      throw new StoreOpenError('newer-schema', message);
    }
    const finding = connection.pragma('integrity_check(1)', { simple: true });
    if (finding !== 'ok') throw new StoreOpenError('disk', `${name} is damaged: ${String(finding)}`);
  } catch (error) {
    throw error instanceof StoreOpenError ? error : damaged(name, error);
  } finally {
    connection.close();
  }
}

function open(file: string): Database.Database {
  if (!existsSync(file)) throw new StoreOpenError('disk', `${file} does not exist`);
  try {
    return new Database(file, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw damaged(file, error);
  }
}

function damaged(file: string, error: unknown): StoreOpenError {
  return new StoreOpenError('disk', `${file} cannot be read as a database: ${errorText(error)}`);
}
