import type { Connection } from './connection.ts';
import { diskFault } from './disk-fault.ts';
import { transact } from './transact.ts';

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
