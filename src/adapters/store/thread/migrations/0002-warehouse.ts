import type { Migration } from '../migration.ts';

/** Takes coils and tasks out of the plant's records, where the first release kept them, into tables of their own. */
export const MOVE_WAREHOUSE_RECORDS = `
  INSERT OR IGNORE INTO coil (coil_id, location, json)
    SELECT json ->> 'coilId', json ->> 'location', json FROM plant WHERE kind = 'coils' AND json_valid(json);
  INSERT OR IGNORE INTO task
    (task_id, machine_id, source_location, destination_location, selected_coil_id, override_reason,
     unattainable_reason, json)
    SELECT json ->> 'taskId', json ->> 'machineId', json ->> 'sourceLocation', json ->> 'destinationLocation',
      json ->> 'selectedCoilId', json ->> 'overrideReason', json ->> 'unattainableReason',
      json_remove(json, '$.machineId')
    FROM plant WHERE kind = 'tasks' AND json_valid(json);
  DELETE FROM plant WHERE kind IN ('coils', 'tasks');
`;

/**
 * `id` counts rows: it is a coil's or task's place in the index in memory (column-index.ts). `json` is what clients are
 * sent; what refers to other records stands beside it.
 */
export const warehouse: Migration = {
  number: 2,
  sql: `
    CREATE TABLE coil (id INTEGER PRIMARY KEY, coil_id TEXT NOT NULL UNIQUE, location TEXT NOT NULL, json TEXT NOT NULL);
    CREATE INDEX coil_by_location ON coil (location);
    CREATE TABLE task (
      id INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, machine_id TEXT NOT NULL, source_location TEXT NOT NULL,
      destination_location TEXT NOT NULL, selected_coil_id TEXT, override_reason TEXT, unattainable_reason TEXT,
      last_operation TEXT, json TEXT NOT NULL
    );
    CREATE TABLE legacy_write (operation_id TEXT PRIMARY KEY, started_at REAL NOT NULL, json TEXT NOT NULL);
    ${MOVE_WAREHOUSE_RECORDS}
  `,
};
