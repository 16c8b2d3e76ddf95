import type { Migration } from '../migration.ts';

/** Indexes for lists of downtimes over all machines: those without a reason, and those of a range of time. */
export const downtimesByTime: Migration = {
  number: 18,
  sql: `
    CREATE INDEX downtime_by_start ON downtime (started_at);
    CREATE INDEX downtime_uncategorized ON downtime (started_at) WHERE reason_id IS NULL;
  `,
};
