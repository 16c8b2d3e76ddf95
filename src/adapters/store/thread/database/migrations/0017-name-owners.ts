import type { Migration } from '../migration.ts';

/**
 * A gateway's name belongs to a principal (domain/sync/name-claim.ts): at first the principal that brought its stream
 * last.
 */
export const nameOwners: Migration = {
  number: 17,
  sql: `
    ALTER TABLE received_name ADD COLUMN principal TEXT;
    UPDATE received_name SET principal = (
      SELECT principal FROM received_stream AS own
      WHERE own.gateway_id = received_name.gateway_id AND own.stream = received_name.stream
    );
  `,
};
