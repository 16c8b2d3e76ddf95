import { StoreOpenError } from '../../store-open-error.ts';
import type { Connection } from './connection.ts';
import type { Migration } from './migration.ts';
import { catalogSubscriptions } from './migrations/0011-catalog-subscriptions.ts';
import { gatewayNames } from './migrations/0012-gateway-names.ts';
import { catchUps } from './migrations/0013-catch-ups.ts';
import { openFacts } from './migrations/0014-open-facts.ts';
import { nameServers } from './migrations/0015-name-servers.ts';
import { damagedRecords } from './migrations/0016-damaged-records.ts';
import { nameOwners } from './migrations/0017-name-owners.ts';
import { downtimesByTime } from './migrations/0018-downtimes-by-time.ts';
import { audit } from './migrations/0019-audit.ts';
import { machineCourse } from './migrations/0020-machine-course.ts';
import { selectedParts } from './migrations/0021-selected-parts.ts';
import { believedTime } from './migrations/0022-believed-time.ts';
import { overrideEpochs } from './migrations/0023-override-epochs.ts';
import { changeFeed } from './migrations/0024-change-feed.ts';
import { productionEpochs } from './migrations/0025-production-epochs.ts';
import { initialSchema } from './migrations/first-ten/0001-initial-schema.ts';
import { warehouse } from './migrations/first-ten/0002-warehouse.ts';
import { profiles } from './migrations/first-ten/0003-profiles.ts';
import { orders } from './migrations/first-ten/0004-orders.ts';
import { queue } from './migrations/first-ten/0005-queue.ts';
import { received } from './migrations/first-ten/0006-received.ts';
import { mirror } from './migrations/first-ten/0007-mirror.ts';
import { doneRequests } from './migrations/first-ten/0008-done-requests.ts';
import { statusLanes } from './migrations/first-ten/0009-status-lanes.ts';
import { ownOrders } from './migrations/first-ten/0010-own-orders.ts';
import { transact } from './transact.ts';

export const MIGRATIONS: readonly Migration[] = [
  ...[initialSchema, warehouse, profiles, orders],
  ...[
    queue,
    received,
    mirror,
    doneRequests,
    statusLanes,
    ownOrders,
    catalogSubscriptions,
    gatewayNames,
    catchUps,
    openFacts,
    nameServers,
    damagedRecords,
    nameOwners,
    downtimesByTime,
    audit,
    machineCourse,
    selectedParts,
    believedTime,
    overrideEpochs,
    changeFeed,
    productionEpochs,
  ],
];

/** The number of the last step. */
export const NEWEST_SCHEMA = MIGRATIONS.at(-1)?.number ?? 0;

/**
 * Brings the database from the schema it has to the newest, each step in a transaction of its own.
 * Throws StoreOpenError `newer-schema` when a newer program wrote it.
 */
export function migrate(connection: Connection, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = migrations.at(-1)?.number ?? 0;
  const present = Number(connection.pragma('user_version', { simple: true }));
  if (present > newest) {
    const message = `the data directory has schema ${present}, this program knows ${newest}: use the newer program`;
    throw new StoreOpenError('newer-schema', message);
  }
  for (const { number, sql } of migrations) {
    if (number <= present) continue;
    transact(connection, () => {
      connection.exec(sql);
      connection.pragma(`user_version = ${number}`);
    });
  }
}
