import { getTableColumns } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import type { Postgres } from './postgres.ts';

type Row<Table extends PgTable> = Readonly<Table['$inferInsert']>;

/**
 * Makes a function that writes rows of a table by one statement. A row replaces the one with the same key. The rows of a
 * call have different keys.
 */
export function upsertInto<Table extends PgTable>(
  table: Table,
): (postgres: Postgres, rows: readonly Row<Table>[]) => Promise<void> {
  const { schema = 'public', name, primaryKeys } = getTableConfig(table);
  const columns = Object.entries(getTableColumns(table));
  const keys = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
  for (const [, column] of columns) if (column.primary) keys.add(column.name);
  const names = columns.map(([, column]) => column.name).join(', ');
  const fields = columns.map(([property]) => `"${property}"`).join(', ');
  const shape = columns.map(([property, column]) => `"${property}" ${column.getSQLType()}`).join(', ');
  const changes = columns
    .filter(([, column]) => !keys.has(column.name))
    .map(([, column]) => `${column.name} = excluded.${column.name}`)
    .join(', ');
  const text = `INSERT INTO ${schema}.${name} (${names})
    SELECT ${fields} FROM jsonb_to_recordset($1::jsonb) AS row (${shape})
    ON CONFLICT (${[...keys].join(', ')}) DO UPDATE SET ${changes}`;
  return async (postgres, rows) => {
    if (rows.length > 0) await postgres.run(text, [storableJson(rows)]);
  };
}

/**
 * JSON that PostgreSQL takes as jsonb. It keeps no text with the character 0 or with half of a surrogate pair: the
 * replacement character stands in their place.
 */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\\ufffd',
  );
}
