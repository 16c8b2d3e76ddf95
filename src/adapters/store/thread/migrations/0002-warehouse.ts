import type { Migration } from '../migration.ts';

/** Takes coils and tasks out of the plant's records, where the first release kept them, into tables of their own. */
export const MOVE_WAREHOUSE_RECORDS = `
  INSERT OR IGNORE INTO coil
    (coil_id, material_code, description, material_type, color, gauge, width_in, length_start_ft, length_remaining_ft,
     current_weight_lbs, is_complete, is_started, location, date_in, vendor_name, heat_number, purchase_order)
    SELECT json ->> 'coilId', json ->> 'materialCode', json ->> 'description', json ->> 'materialType',
      json ->> 'color', json ->> 'gauge', json ->> 'widthIn', json ->> 'lengthStartFt', json ->> 'lengthRemainingFt',
      json ->> 'currentWeightLbs', json ->> 'isComplete', json ->> 'isStarted', json ->> 'location',
      json ->> 'dateIn', json ->> 'vendorName', json ->> 'heatNumber', json ->> 'purchaseOrder'
    FROM plant WHERE kind = 'coils' AND json_valid(json);
  INSERT OR IGNORE INTO task
    (task_id, machine_id, task_type, task_state, coil_type, required_ft, source_location, destination_location,
     required_date, available_date, started_date, completed_date, selected_coil_id, preferred_coil_ids, user_name,
     override_reason, unattainable_reason)
    SELECT json ->> 'taskId', json ->> 'machineId', json ->> 'taskType', json ->> 'taskState', json -> 'coilType',
      json ->> 'requiredFt', json ->> 'sourceLocation', json ->> 'destinationLocation', json ->> 'requiredDate',
      json ->> 'availableDate', json ->> 'startedDate', json ->> 'completedDate', json ->> 'selectedCoilId',
      json -> 'preferredCoilIds', json ->> 'userName', json ->> 'overrideReason', json ->> 'unattainableReason'
    FROM plant WHERE kind = 'tasks' AND json_valid(json);
  DELETE FROM plant WHERE kind IN ('coils', 'tasks');
`;

/** `id` counts rows: its number is a coil's or task's place in the index in memory (column-index.ts). */
export const warehouse: Migration = {
  number: 2,
  sql: `
    CREATE TABLE coil (
      id INTEGER PRIMARY KEY, coil_id TEXT NOT NULL UNIQUE, material_code TEXT, description TEXT, material_type TEXT,
      color TEXT, gauge INTEGER, width_in REAL, length_start_ft REAL, length_remaining_ft REAL,
      current_weight_lbs REAL, is_complete INTEGER NOT NULL, is_started INTEGER NOT NULL, location TEXT NOT NULL,
      date_in TEXT, vendor_name TEXT, heat_number TEXT, purchase_order TEXT
    );
    CREATE INDEX coil_by_location ON coil (location);
    CREATE TABLE task (
      id INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, machine_id TEXT NOT NULL, task_type TEXT NOT NULL,
      task_state TEXT NOT NULL, coil_type TEXT NOT NULL, required_ft REAL NOT NULL, source_location TEXT NOT NULL,
      destination_location TEXT NOT NULL, required_date TEXT NOT NULL, available_date TEXT, started_date TEXT,
      completed_date TEXT, selected_coil_id TEXT, preferred_coil_ids TEXT NOT NULL, user_name TEXT,
      override_reason TEXT, unattainable_reason TEXT, last_operation TEXT
    );
    CREATE TABLE legacy_write (operation_id TEXT PRIMARY KEY, started_at REAL NOT NULL, json TEXT NOT NULL);
    ${MOVE_WAREHOUSE_RECORDS}
  `,
};
