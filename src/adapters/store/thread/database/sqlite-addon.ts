import Database from 'better-sqlite3';
import { StoreOpenError } from '../../store-open-error.ts';
import { errorText } from './disk-fault.ts';

/**
 * Loads SQLite, which is a native addon: the single binary unpacks it first. Throws a StoreOpenError that names the
 * directory it is unpacked to, because otherwise a person would look for the fault in the data directory.
 */
export function loadSqliteAddon(): void {
  try {
    new Database(':memory:').close();
  } catch (error) {
    const { PKG_NATIVE_CACHE_PATH: cacheDir = 'the folder .cache in the home of its user' } = process.env;
    throw new StoreOpenError(
      'cannot-create',
      `SQLite cannot be loaded: ${errorText(error)}. The single binary unpacks it to ${cacheDir}. Set PKG_NATIVE_CACHE_PATH ` +
        'to a directory that can be written and allows programs to be executed',
    );
  }
}
