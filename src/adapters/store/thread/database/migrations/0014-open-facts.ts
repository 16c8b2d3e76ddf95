import type { Migration } from '../migration.ts';

/**
 * An index that finds the lasting facts among the ended ones when a gateway's name changes hands
 * (received/open-facts.ts).
 */
export const openFacts: Migration = {
  number: 14,
  sql: ['span', 'downtime', 'work_session']
    .map((table) => `CREATE INDEX ${table}_open ON ${table} (machine_id) WHERE ended_at IS NULL;`)
    .join('\n'),
};
