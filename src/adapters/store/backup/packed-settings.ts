import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { errorCode } from '../../../domain/error-code.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { transact } from '../thread/database/connection.ts';
import { errorText } from '../thread/database/disk-fault.ts';

/** A backup's settings; `text` is null if there was no file of settings. */
export interface PackedSettings {
  readonly text: string | null;
}

/**
 * Adds the file of settings, which lies beside the database, to a backup (D-48). Throws if the file is there and cannot
 * be read.
 */
export function packSettings(backup: string, settingsFile: string): void {
  const text = settingsText(settingsFile);
  const connection = new Database(backup, { fileMustExist: true });
  try {
    transact(connection, () => {
      connection.exec('DROP TABLE IF EXISTS chosen_settings; CREATE TABLE chosen_settings (text TEXT)');
      connection.prepare('INSERT INTO chosen_settings VALUES (?)').run(text);
    });
  } finally {
    connection.close();
  }
}

/**
 * Takes the settings out of a copy of a database; null if it has none, such as a backup of an earlier version. Throws
 * StoreOpenError `disk` if the table is empty.
 */
export function unpackSettings(copy: string): PackedSettings | null {
  const connection = new Database(copy, { fileMustExist: true });
  try {
    const table = connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'chosen_settings'");
    if (table.get() === undefined) return null;
    const settings = connection.prepare<[], PackedSettings>('SELECT text FROM chosen_settings').get();
    if (settings === undefined)
      throw new StoreOpenError('disk', `${copy}: chosen_settings: found no row, expected one`);
    connection.exec('DROP TABLE chosen_settings');
    return settings;
  } finally {
    connection.close();
  }
}

/** The content of a file of settings; null if the file does not exist. */
export function settingsText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new Error(`${file}: found ${errorText(error)}, expected a file to read`, { cause: error });
  }
}
