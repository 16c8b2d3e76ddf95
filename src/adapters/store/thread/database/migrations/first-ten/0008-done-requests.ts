import type { Migration } from '../../migration.ts';

/**
 * Done requests that had an idempotency key (thread/done-requests.ts). `number` counts the requests of a principal;
 * `total_bytes` is the length of its answers from its first request up to this one.
 */
export const doneRequests: Migration = {
  number: 8,
  sql: `
    CREATE TABLE done_request (
      principal TEXT NOT NULL, number INTEGER NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, answer BLOB,
      total_bytes INTEGER NOT NULL, PRIMARY KEY (principal, number), UNIQUE (principal, key)
    );
  `,
};
