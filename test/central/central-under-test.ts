import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { migrate } from '../../src/central/postgres/migrate.ts';
import { Postgres } from '../../src/central/postgres/postgres.ts';
import { openReceivedStore, type ReceivedStore } from '../../src/central/received/received-store.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { openTestStore, quietLog, START_AT } from '../adapters/store/open-test-store.ts';

/** What both stores can do with that which gateways send. */
export type TestedStore = ReceivedStore;

/** One server for all tests of a file; each test has a database of its own. */
let server: Promise<LocalPostgres> | null = null;

export function postgresServer(): Promise<LocalPostgres> {
  server ??= LocalPostgres.start();
  return server;
}

/** To be called when all tests of the file are done. */
export async function endPostgresServer(): Promise<void> {
  await (await server)?.end();
  server = null;
}

/** An empty database with the present schema, and the connections of one node to it. */
export async function openTestPostgres(url?: string): Promise<Postgres> {
  const at = url ?? (await (await postgresServer()).createDatabase(`test-${randomUUID()}`));
  const postgres = new Postgres({ url: at, maxConnections: 10, log: quietLog });
  onTestFinished(() => postgres.close());
  await migrate(postgres);
  return postgres;
}

export async function openTestReceivedStore(postgres?: Postgres, maxGateways = 2_000): Promise<TestedStore> {
  const parts = { maxGateways, wallMs: () => START_AT };
  return openReceivedStore({ postgres: postgres ?? (await openTestPostgres()), ...parts });
}

/** Both stores, for tests that each of them has to pass. */
export const STORES: readonly { readonly name: string; readonly open: () => Promise<TestedStore> }[] = [
  { name: 'SQLite', open: async () => (await openTestStore()).store },
  { name: 'PostgreSQL', open: () => openTestReceivedStore() },
];
