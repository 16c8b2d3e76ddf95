import type { Connection } from './connection.ts';

/**
 * Runs `work` as one transaction: committed when it returns, rolled back when it throws; inside another transaction it is
 * a savepoint of that one. `work` is synchronous: a promise is refused by type, because its later work would lie outside.
 */
export function transact<T>(
  connection: Connection,
  work: () => T,
  ..._noPromises: T extends PromiseLike<unknown> ? [error: 'a transaction cannot wait for a promise'] : []
): T {
  return connection.transaction(work)();
}
