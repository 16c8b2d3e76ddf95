import { programFile } from '../../../../runtime/program-files.ts';
import { StoreOpenError } from '../../store-open-error.ts';
import { type Connection, transact } from './connection.ts';
import journal from './migrations/meta/_journal.json' with { type: 'json' };

/** One step of the schema. Numbers count up from 1 without gaps; a step that was shipped never changes. */
export interface Migration {
  readonly number: number;
  readonly sql: string;
}

/** The steps that drizzle-kit made (development.md, Migrations). A step is read only if a database needs it. */
export const MIGRATIONS: readonly Migration[] = journal.entries.map(({ idx, tag }) => ({
  number: idx + 1,
  get sql() {
    return programFile(`migrations/${tag}.sql`).toString('utf8');
  },
}));

/** The number of the last step. */
export const NEWEST_SCHEMA = MIGRATIONS.length;

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
  for (const { number, sql } of migrations.slice(present)) {
    transact(connection, () => {
      connection.exec(sql);
      connection.pragma(`user_version = ${number}`);
    });
  }
}
