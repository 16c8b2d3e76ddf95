import { openCentral } from '../../src/central/open-central.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import type { Clock } from '../../src/flows/ports.ts';
import type { CentralDatabase, NodeBusiness } from '../../src/gateway/gateway-parts.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { quietLog } from '../adapters/store/open-test-store.ts';

export interface NodeUnderTest {
  readonly central: CentralDatabase;
  /** Closes the database after the node's store. */
  close(): Promise<void>;
}

/** A data directory that is a node of a central server on a PostgreSQL of its own, before its store is opened. */
export async function startNode(clock: Clock, place: Parameters<NodeBusiness['join']>[0]): Promise<NodeUnderTest> {
  const database = await LocalPostgres.start({ isDurable: true });
  const retention = { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 };
  const central = await openCentral({
    url: database.url(),
    maxConnections: 8,
    maxGateways: 2_000,
    retention,
    log: quietLog,
    clock,
    // The database's clock does not follow a time that a test lets pass: it is compared at the start alone.
    lookMs: HOUR_MS,
  });
  await central.business.join(place);
  const close = async () => {
    await central.close();
    await database.end();
  };
  return { central, close };
}
