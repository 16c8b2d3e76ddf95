import type { Migration } from '../migration.ts';

/** The clock epoch in which an override began (clock-epochs.ts). Rows without one keep their times. */
export const overrideEpochs: Migration = {
  number: 23,
  sql: 'ALTER TABLE override_span ADD COLUMN epoch INTEGER',
};
