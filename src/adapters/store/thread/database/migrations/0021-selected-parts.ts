import type { Migration } from '../migration.ts';

/** When each part was selected last on a machine (machine-course.ts): machines without job and operator have no work sessions. */
export const selectedParts: Migration = {
  number: 21,
  sql: `
    CREATE TABLE selected_part (
      machine_id TEXT NOT NULL, part_id TEXT NOT NULL, selected_at REAL NOT NULL, PRIMARY KEY (machine_id, part_id)
    ) WITHOUT ROWID;
    INSERT INTO selected_part SELECT machine_id, json ->> 'partId', at FROM machine_part
      WHERE json_valid(json) AND json ->> 'partId' IS NOT NULL;
  `,
};
