import type { Migration } from '../../migration.ts';

/** Moves coils and tasks from the plant's records, where the first release kept them, into their own tables. */
export const MOVE_WAREHOUSE_RECORDS = `
  INSERT OR IGNORE INTO coil (coil_id, json)
    SELECT json ->> 'coilId', json FROM plant WHERE kind = 'coils' AND json_valid(json);
  INSERT OR IGNORE INTO task (task_id, machine_id, json)
    SELECT json ->> 'taskId', json ->> 'machineId', json_remove(json, '$.machineId')
    FROM plant WHERE kind = 'tasks' AND json_valid(json);
  DELETE FROM plant WHERE kind IN ('coils', 'tasks');
`;

/**
 * `id` counts rows: it is the place of a coil or task in the search index in memory (column-index.ts). `json` is sent
 * to clients; the other columns are not.
 */
export const warehouse: Migration = {
  number: 2,
  sql: `
    CREATE TABLE coil (id INTEGER PRIMARY KEY, coil_id TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
    CREATE TABLE task (
      id INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, machine_id TEXT NOT NULL, last_operation TEXT,
      json TEXT NOT NULL
    );
    CREATE TABLE legacy_write (operation_id TEXT PRIMARY KEY, started_at REAL NOT NULL, json TEXT NOT NULL);
    ${MOVE_WAREHOUSE_RECORDS}
  `,
};
