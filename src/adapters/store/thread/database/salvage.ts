import type { TableLoss } from '../../../../flows/store-health-ports.ts';
import { type Connection, transact } from './connection.ts';
import { diskFault, errorText } from './disk-fault.ts';

/** The tables that a gateway needs most, most precious first. */
export const SALVAGED_TABLES = [
  'plant',
  'alert_setting',
  'gateway_group',
  'grouped_gateway',
  'plan_version',
  'applied_plan',
  'group_update',
  'update_release',
  'taken_update',
  'legacy_write',
  'queue',
  'send_attempt',
  'upstream_profile',
  'sync_stream',
  'received_act',
  'received_stream',
  'received_name',
  'received_refusal',
  'received_gateway',
  'received_catch_up',
  'done_request',
  'set_aside',
  'coil',
  'task',
  'profile',
  'catalog_membership',
  'customer_order',
  'order_row',
  'catalog_subscription',
  'alert',
  'alert_message',
  'person_session',
  'machine_part',
  'selected_part',
  'machine_state',
  'shift_totals',
  'shift_summary',
  'received_plant',
  'received_change',
  'received_shift_figures',
  'received_stop_figures',
  'received_work_figures',
  'downtime',
  'production_quarter',
  'override_span',
  'broker_row',
  'work_session',
  'anomaly',
  'span',
  'clock_epoch',
  'applied_batch',
  'trusted_clock',
  'publication_receipt',
  'audit',
  'damaged_record',
] as const;

/** The other tables with data that cannot be made again: they stay in the file that was set aside. */
export const LEFT_TABLES = [
  'variable_block',
  'variable_recent',
  'received_machine',
  'received_session',
  'received_shift',
] as const;

/**
 * Copies the readable rows of a damaged database into a fresh one, table by table: of a table with a damaged page, the
 * rows before it and behind it. Gives the losses.
 */
export function salvage(connection: Connection, damagedFile: string): readonly TableLoss[] {
  const losses: TableLoss[] = [];
  try {
    connection.prepare('ATTACH ? AS damaged').run(damagedFile);
  } catch (error) {
    return [{ table: null, reason: errorText(error) }];
  }
  for (const table of SALVAGED_TABLES) {
    const loss = salvageTable(connection, table);
    if (loss !== null) losses.push(loss);
  }
  losses.push(...forgetSendsOfLostRows(connection));
  losses.push(...LEFT_TABLES.flatMap((table) => leftIn(connection, table)));
  connection.exec('DETACH damaged');
  return losses;
}

function salvageTable(connection: Connection, table: string): TableLoss | null {
  try {
    const columns = commonColumns(connection, table);
    if (columns.length === 0) return { table, reason: 'no such table' };
    const damage = copyTable(connection, table, columns.join(', '));
    if (damage === null) return null;
    return { table, reason: `${damage}; ${salvageRows(connection, table, columns)} rows were saved` };
  } catch (error) {
    return { table, reason: errorText(error) };
  }
}

/**
 * Copies all rows of a table, or none. Gives the reason why none was copied; null if all were. SQLite reads rows in the
 * order of the key from the table itself. In another order it may read an index, which may be damaged.
 */
function copyTable(connection: Connection, table: string, columns: string): string | null {
  try {
    const select = `SELECT ${columns} FROM damaged.${table} ORDER BY ${keyColumns(connection, table).join(', ')}`;
    connection.exec(`INSERT OR IGNORE INTO main.${table} (${columns}) ${select}`);
    return null;
  } catch (error) {
    return errorText(error);
  }
}

/**
 * If the newest rows of the queue were lost, their numbers are given again. A new row with such a number has not been
 * sent. A full disk does not stop the start here either.
 */
function forgetSendsOfLostRows(connection: Connection): readonly TableLoss[] {
  try {
    connection.exec('DELETE FROM main.send_attempt WHERE seq NOT IN (SELECT seq FROM main.queue)');
    return [];
  } catch (error) {
    return [{ table: 'send_attempt', reason: errorText(error) }];
  }
}

/** The loss of a table that holds rows, or that cannot be read. */
function leftIn(connection: Connection, table: string): readonly TableLoss[] {
  try {
    const isEmpty = connection.prepare(`SELECT 1 FROM damaged.${table} LIMIT 1`).get() === undefined;
    return isEmpty ? [] : [{ table, reason: 'stays in the old file' }];
  } catch (error) {
    return [{ table, reason: errorText(error) }];
  }
}

/** The columns that both have: an older schema, which could not be migrated, lacks some. */
function commonColumns(connection: Connection, table: string): readonly string[] {
  const columnsIn = (schema: string) =>
    connection.prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema);
  const present = new Set(columnsIn('damaged'));
  return columnsIn('main').filter((column) => present.has(column));
}

type Direction = 'ASC' | 'DESC';

/** The rows that are read at once, and fewer near the damage. */
const ROWS_PER_COPY = 100;

/**
 * Copies rows of the attached database `damaged` into the table of that name in `main`: from the beginning of the table
 * to the damage, then from its end back to the damage. Gives the number of rows.
 */
export function salvageRows(connection: Connection, table: string, columns: readonly string[]): number {
  const forward = copyToDamage(connection, table, columns, 'ASC');
  const backward = forward.isWhole ? 0 : copyToDamage(connection, table, columns, 'DESC').copied;
  return forward.copied + backward;
}

function copyToDamage(connection: Connection, table: string, columns: readonly string[], direction: Direction) {
  const key = keyColumns(connection, table);
  const read = reader(connection, table, [...key, ...columns], key, direction);
  const marks = columns.map(() => '?').join(', ');
  const insert = connection.prepare(`INSERT OR IGNORE INTO main.${table} (${columns.join(', ')}) VALUES (${marks})`);
  let copied = 0;
  let last: readonly unknown[] = [];
  for (let take = ROWS_PER_COPY; take >= 1; ) {
    const rows = read(last, take);
    if (rows === null) {
      take = Math.floor(take / 10);
      continue;
    }
    const end = rows.at(-1);
    if (end === undefined) return { copied, isWhole: true };
    last = end.slice(0, key.length);
    copied += transact(connection, () => rows.reduce((sum, row) => sum + insert.run(row.slice(key.length)).changes, 0));
  }
  return { copied, isWhole: false };
}

/** Reads `take` rows behind a key. An empty key gives the first rows. Gives null if one of the rows is damaged. */
function reader(
  connection: Connection,
  table: string,
  columns: readonly string[],
  key: readonly string[],
  direction: Direction,
): (after: readonly unknown[], take: number) => readonly (readonly unknown[])[] | null {
  const isBehind = `(${key.join(', ')}) ${direction === 'ASC' ? '>' : '<'} (${key.map(() => '?').join(', ')})`;
  const order = key.map((column) => `${column} ${direction}`).join(', ');
  const select = (where: string) =>
    connection
      .prepare<unknown[], unknown[]>(
        `SELECT ${columns.join(', ')} FROM damaged.${table} NOT INDEXED ${where} ORDER BY ${order} LIMIT ?`,
      )
      .raw();
  const [first, next] = [select(''), select(`WHERE ${isBehind}`)];
  return (after, take) => {
    try {
      return after.length === 0 ? first.all(take) : next.all(...after, take);
    } catch (error) {
      if (diskFault(error) !== 'corrupt') throw error;
      return null;
    }
  };
}

/** The columns by which the rows of a table of the attached database `damaged` are in order in the file. */
export function keyColumns(connection: Connection, table: string): readonly string[] {
  const isWithoutRowid = connection
    .prepare<[string], number>(`SELECT wr FROM pragma_table_list WHERE schema = 'damaged' AND name = ?`)
    .pluck()
    .get(table);
  if (isWithoutRowid !== 1) return ['rowid'];
  const key = `SELECT name FROM pragma_table_info(?, 'damaged') WHERE pk > 0 ORDER BY pk`;
  return connection.prepare<[string], string>(key).pluck().all(table);
}
