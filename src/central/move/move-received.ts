import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { getTableColumns } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import type { Connection } from '../../adapters/store/thread/database/connection.ts';
import { backupCopyOf, DATABASE_FILE } from '../../adapters/store/thread/database/database-files.ts';
import { openCore } from '../../adapters/store/thread/store-core.ts';
import { CodedError } from '../../domain/error.ts';
import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import type { Log } from '../../flows/ports.ts';
import { migrate } from '../postgres/migrate.ts';
import { Postgres } from '../postgres/postgres.ts';
import {
  changedMachine,
  shiftFigures,
  stopFigures,
  toldPlant,
  workFigures,
} from '../postgres/schema/fleet-production.ts';
import { anomaly, downtime, machinePart, shiftTotals, span, workSession } from '../postgres/schema/machines.ts';
import { catchUp, gateway, machine, refusal, stream, streamSession, streamShift } from '../postgres/schema/received.ts';
import { storableJson, upsertInto } from '../postgres/upsert-rows.ts';
import { type CentralRetention, preparePartitions } from '../retain.ts';
import { moveArchives } from '../updates/move-archives.ts';
import { movePoints } from './move-points.ts';

export interface MoveOptions {
  readonly dataDir: string;
  readonly url: string;
  readonly retention: CentralRetention & { readonly auditDays: number };
  readonly nowAt: number;
  readonly log: Log;
  readonly tell: (line: string) => void;
}

const CONNECTIONS = 2;
/** A step may take long, and nobody waits for it. */
const WITHIN_MS = 60 * 60_000;

/**
 * Moves what gateways have sent from the SQLite file of a central server that is stopped into PostgreSQL, and the archives
 * for them from its data directory. Every row is compared. Only then it is deleted here; the file as it was stays beside it. It may be repeated after a fault. Rejects
 * with `conflict` if PostgreSQL has records of other gateways already, or a batch was taken in part.
 */
export async function moveReceived(options: MoveOptions): Promise<void> {
  const { dataDir, url, retention, nowAt, log, tell } = options;
  const postgres = new Postgres({ url, maxConnections: CONNECTIONS, answerWithinMs: WITHIN_MS, log });
  const core = openCore({ dataDir, runId: 'move', retention, forwarding: null, series: [], suspect: false });
  try {
    await migrate(postgres);
    await moveArchives(dataDir, postgres, tell);
    const own = gatewaysIn(core.connection);
    if (own.size === 0) {
      tell('there is nothing else to move: no gateway has sent here');
      return;
    }
    await requireOwn(core.connection, own, postgres);
    await preparePartitions(postgres, retention, nowAt);
    await moveRows(core.connection, postgres, (table, rows) => tell(`${table}: ${rows} rows`));
    const points = await movePoints(core, postgres, (series, of) => {
      if (series % 1_000 === 0 || series === of) tell(`variables: ${series} of ${of}`);
    });
    tell(`points: ${points}`);
    const kept = await keepFile(dataDir, core.connection, nowAt);
    forget(core.connection);
    tell(`everything is in PostgreSQL; the file as it was is ${kept}, and may be deleted`);
  } finally {
    core.connection.close();
    core.lock.close();
    await postgres.close();
  }
}

function gatewaysIn(connection: Connection): ReadonlySet<string> {
  const text = 'SELECT gateway_id FROM received_stream UNION SELECT gateway_id FROM received_gateway';
  return new Set(connection.prepare<[], string>(text).pluck().all());
}

/** PostgreSQL may only have what an earlier try has brought there. */
async function requireOwn(connection: Connection, own: ReadonlySet<string>, postgres: Postgres): Promise<void> {
  const begun = connection
    .prepare<[], string>('SELECT gateway_id FROM received_stream WHERE partial_items > 0')
    .pluck();
  const [amid] = begun.all();
  if (amid !== undefined) {
    throw new CodedError(
      'conflict',
      `a batch of gateway ${amid} was taken in part: start the central server once more until it is whole, then stop it`,
    );
  }
  const there = await postgres.query<{ id: string }>('SELECT gateway_id AS id FROM central.stream');
  const other = there.find(({ id }) => !own.has(id));
  if (other !== undefined) {
    throw new CodedError('conflict', `PostgreSQL has records of gateway ${other.id} already: use an empty database`);
  }
}

async function keepFile(dataDir: string, connection: Connection, nowAt: number): Promise<string> {
  const file = path.join(dataDir, DATABASE_FILE);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  const kept = `${file}.before-postgres-${Math.round(nowAt)}`;
  await rm(backupCopyOf(file), { force: true });
  await copyFile(file, kept);
  return kept;
}

function forget(connection: Connection): void {
  connection.transaction(() => {
    for (const [table, where] of MOVED_ROWS) connection.exec(`DELETE FROM ${table} WHERE ${where}`);
    const series = "(SELECT id FROM variable_series WHERE machine_id LIKE '%/%')";
    connection.exec(`DELETE FROM variable_block WHERE series IN ${series}`);
  })();
  connection.exec('VACUUM');
}

/** Rows that are written, read back and compared at once. */
const ROWS_AT_ONCE = 1_000;

type Row = Record<string, unknown>;

/** A table of SQLite whose rows go into a table of PostgreSQL; columns have the same names. */
interface Move {
  readonly to: PgTable;
  /** SQL of SQLite: a table, or a select in brackets. */
  readonly from: string;
  readonly where?: string;
  /** Expressions of SQLite for columns that are not the same. */
  readonly columns?: Readonly<Record<string, string>>;
}

const OF_GATEWAY = "machine_id LIKE '%/%'";
const NAMES = `(SELECT gateway_id, name.stream AS holder, name.principal AS owner, known.name, known.heard_at, known.report,
    coalesce(known.plant_id, '${FIRST_PLANT}') AS plant_id
  FROM (SELECT gateway_id FROM received_name UNION SELECT gateway_id FROM received_gateway
    UNION SELECT gateway_id FROM received_stream)
  LEFT JOIN received_name AS name USING (gateway_id) LEFT JOIN received_gateway AS known USING (gateway_id))`;

const MOVES: readonly Move[] = [
  { to: gateway, from: NAMES },
  { to: stream, from: 'received_stream' },
  { to: refusal, from: 'received_refusal' },
  { to: machine, from: 'received_machine' },
  { to: streamShift, from: 'received_shift', columns: { read_at: 'NULL' } },
  { to: streamSession, from: 'received_session' },
  { to: catchUp, from: 'received_catch_up' },
  { to: changedMachine, from: 'received_change' },
  { to: toldPlant, from: 'received_plant' },
  { to: shiftFigures, from: 'received_shift_figures' },
  { to: stopFigures, from: 'received_stop_figures' },
  { to: workFigures, from: 'received_work_figures' },
  { to: machinePart, from: 'machine_part', where: OF_GATEWAY },
  { to: shiftTotals, from: 'shift_totals', where: OF_GATEWAY },
  { to: downtime, from: 'downtime', where: OF_GATEWAY },
  { to: span, from: 'span', where: OF_GATEWAY },
  { to: workSession, from: 'work_session', where: OF_GATEWAY },
  { to: anomaly, from: 'anomaly', where: OF_GATEWAY },
];

/** The tables of SQLite whose rows have moved, with the condition of those. */
export const MOVED_ROWS: ReadonlyMap<string, string> = new Map([
  ...['received_name', 'received_gateway'].map((table) => [table, 'true'] as const),
  ...MOVES.slice(1).map(({ from, where = 'true' }) => [from, where] as const),
]);

/**
 * Copies what gateways have sent into PostgreSQL, reads each row back and compares it. A row that is there already is
 * replaced, so this may be repeated. Rejects with `conflict` if a row differs.
 */
async function moveRows(
  connection: Connection,
  postgres: Postgres,
  tell: (table: string, rows: number) => void,
): Promise<void> {
  for (const move of MOVES) tell(getTableConfig(move.to).name, await moveTable(connection, postgres, move));
}

async function moveTable(connection: Connection, postgres: Postgres, { to, from, where, columns = {} }: Move) {
  const properties = Object.entries(getTableColumns(to));
  const selected = properties.map(([property, { name }]) => `${columns[name] ?? name} AS "${property}"`).join(', ');
  const booleans = properties.filter(([, column]) => column.dataType === 'boolean').map(([property]) => property);
  const text = `SELECT ${selected} FROM ${from} WHERE ${where ?? 'true'}`;
  const put = upsertInto(to);
  let moved = 0;
  let page: Row[] = [];
  const flush = async () => {
    await postgres.transact(() => put(postgres, page as never));
    await compare(postgres, to, page);
    moved += page.length;
    page = [];
  };
  for (const row of connection.prepare<[], Row>(text).iterate()) {
    for (const property of booleans) row[property] = row[property] === 1;
    page.push(row);
    if (page.length === ROWS_AT_ONCE) await flush();
  }
  if (page.length > 0) await flush();
  return moved;
}

/** Each row is in PostgreSQL as it was here. */
async function compare(postgres: Postgres, table: PgTable, rows: readonly Row[]): Promise<void> {
  const { schema, name, primaryKeys } = getTableConfig(table);
  const columns = Object.entries(getTableColumns(table));
  const inKey = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
  const keys = columns.filter(([, column]) => column.primary || inKey.has(column.name));
  const shape = keys.map(([property, column]) => `"${property}" ${column.getSQLType()}`).join(', ');
  const match = keys.map(([property, column]) => `stored.${column.name} = wanted."${property}"`).join(' AND ');
  const selected = columns.map(([property, column]) => `stored.${column.name} AS "${property}"`).join(', ');
  const stored = await postgres.query<Row>(
    `SELECT ${selected} FROM ${schema}.${name} AS stored
     JOIN jsonb_to_recordset($1::jsonb) AS wanted (${shape}) ON ${match}`,
    [storableJson(rows)],
  );
  const textOf = (row: Row) => storableJson(columns.map(([property]) => row[property] ?? null));
  const found = new Set(stored.map(textOf));
  for (const row of rows) {
    if (found.has(textOf(row))) continue;
    const key = keys.map(([property]) => String(row[property])).join(' ');
    throw new CodedError('conflict', `${name} ${key}: found another row in PostgreSQL than in SQLite`);
  }
}
