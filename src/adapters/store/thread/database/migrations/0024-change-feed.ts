import type { Migration } from '../migration.ts';

/**
 * The newest change of each task, coil, order and profile, for programs that follow them. `id` is empty where many records
 * of a kind changed at once. Numbers up to `change_floor` are forgotten.
 */
export const changeFeed: Migration = {
  number: 24,
  sql: `
    CREATE TABLE change_feed (
      number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, removed INTEGER NOT NULL,
      at REAL NOT NULL, UNIQUE (kind, id)
    );
    CREATE TABLE change_epoch (id INTEGER PRIMARY KEY, epoch TEXT NOT NULL UNIQUE, first_number INTEGER NOT NULL);
    CREATE TABLE change_floor (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL);
  `,
};
