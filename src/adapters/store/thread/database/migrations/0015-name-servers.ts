import type { Migration } from '../migration.ts';

/**
 * `server`: at which address the name was told; null until the program that knows the present one notes it.
 * `created_at`: when that server says that it made the profile, by its clock; null: not known.
 */
export const nameServers: Migration = {
  number: 15,
  sql: `
    ALTER TABLE upstream_profile ADD COLUMN server TEXT;
    ALTER TABLE upstream_profile ADD COLUMN created_at REAL;
    CREATE INDEX upstream_profile_unnoted ON upstream_profile (server) WHERE server IS NULL;
  `,
};
