import type { Connection } from './connection.ts';
import { errorText } from './disk-fault.ts';
import { MOVE_WAREHOUSE_RECORDS } from './migrations/0002-warehouse.ts';

/** The tables that a gateway needs most, most precious first. Variables stay in the file that was set aside. */
const SALVAGED_TABLES = [
  'plant',
  'legacy_write',
  'queue',
  'sync_stream',
  'received_act',
  'done_request',
  'set_aside',
  'coil',
  'task',
  'profile',
  'profile_stay',
  'catalog_subscription',
  'machine_part',
  'machine_state',
  'shift_totals',
  'downtime',
  'production_quarter',
  'override_span',
  'broker_row',
  'work_session',
  'anomaly',
  'span',
  'clock_epoch',
  'applied_batch',
  'publication_receipt',
] as const;

/**
 * Copies the readable rows of a damaged database into a fresh one, table by table. A table that cannot be read stays
 * empty; the reason of each is given back.
 */
export function salvage(connection: Connection, damagedFile: string): readonly string[] {
  const losses: string[] = [];
  try {
    connection.prepare('ATTACH ? AS damaged').run(damagedFile);
  } catch (error) {
    return [errorText(error)];
  }
  for (const table of SALVAGED_TABLES) {
    try {
      const columns = commonColumns(connection, table);
      if (columns === '') throw new Error('no such table');
      connection.exec(`INSERT OR IGNORE INTO main.${table} (${columns}) SELECT ${columns} FROM damaged.${table}`);
    } catch (error) {
      losses.push(`${table}: ${errorText(error)}`);
    }
  }
  // Kinds that an older schema kept among the plant's records.
  connection.exec(MOVE_WAREHOUSE_RECORDS);
  connection.exec('DETACH damaged');
  return losses;
}

/** The columns that both have: an older schema, which could not be migrated, lacks some. */
function commonColumns(connection: Connection, table: string): string {
  const columnsIn = (schema: string) =>
    connection.prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema);
  const present = new Set(columnsIn('damaged'));
  return columnsIn('main')
    .filter((column) => present.has(column))
    .join(', ');
}
