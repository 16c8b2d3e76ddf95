import type { Migration } from '../migration.ts';

/**
 * `server` is the address at which the name was given, null until a program that knows the present address notes it.
 * `created_at` is the time at which that server made the profile, by its clock, or null if unknown.
 */
export const nameServers: Migration = {
  number: 15,
  sql: `
    ALTER TABLE upstream_profile ADD COLUMN server TEXT;
    ALTER TABLE upstream_profile ADD COLUMN created_at REAL;
    CREATE INDEX upstream_profile_unnoted ON upstream_profile (server) WHERE server IS NULL;
  `,
};
