import { CodedError } from '../../domain/error.ts';
import { programFile } from '../../runtime/program-files.ts';
import journal from './migrations/meta/_journal.json' with { type: 'json' };
import type { Postgres } from './postgres.ts';

/** One step of the schema. Numbers count up from 1 without gaps; a step that was shipped never changes. */
interface Migration {
  readonly number: number;
  readonly sql: () => string;
}

const MIGRATIONS: readonly Migration[] = journal.entries.map(({ idx, tag }) => ({
  number: idx + 1,
  sql: () => programFile(`central-migrations/${tag}.sql`).toString('utf8'),
}));

const NEWEST_SCHEMA = MIGRATIONS.length;
/**
 * Nodes of this version work with schemas from this one to the newest that they know. A step that would break the nodes
 * of the version before is shipped a version later (expand, then contract), so that versions run side by side.
 */
const NEWEST_WRITTEN_FOR_OLDEST = 1;
/** Any number, the same at every node: one node migrates at a time. */
const MIGRATOR_LOCK = 7_463_910;

/**
 * Brings the database to the newest schema, each step in a transaction of its own. Rejects with `conflict` if a newer
 * program has changed it in a way that this one does not know, or if it cannot keep every text, with `store-unavailable` if it cannot be used.
 */
export async function migrate(postgres: Postgres): Promise<void> {
  const [{ encoding } = { encoding: '' }] = await postgres.query<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  if (encoding !== 'UTF8')
    throw new CodedError(
      'conflict',
      `the database has the encoding ${encoding}, expected UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  for (let isDone = false; !isDone; ) isDone = await postgres.transact(() => nextStep(postgres));
}

/** Whether nothing is left to do. */
async function nextStep(postgres: Postgres): Promise<boolean> {
  // A step may take minutes, and the other nodes wait for it.
  await postgres.script('SET LOCAL lock_timeout = 0');
  await postgres.query('SELECT pg_advisory_xact_lock($1)', [MIGRATOR_LOCK]);
  // IF NOT EXISTS would look at a cache that may not know yet what another node did while this one waited for the lock.
  const isMade = (await postgres.run("SELECT FROM pg_tables WHERE tablename = 'plantgate_schema'")) > 0;
  if (!isMade) await postgres.run('CREATE TABLE plantgate_schema (number int PRIMARY KEY, works_from int NOT NULL)');
  const [row] = await postgres.query<{ number: number; works_from: number }>(
    'SELECT number, works_from FROM plantgate_schema ORDER BY number DESC LIMIT 1',
  );
  const present = row?.number ?? 0;
  if (row !== undefined && row.works_from > NEWEST_SCHEMA) {
    const needed = `programs that know schema ${row.works_from} or a later one`;
    throw new CodedError(
      'conflict',
      `the database has schema ${present} for ${needed}; this one knows ${NEWEST_SCHEMA}`,
    );
  }
  const next = MIGRATIONS[present];
  if (next === undefined) return true;
  await postgres.script(next.sql());
  const worksFrom = Math.min(next.number, NEWEST_WRITTEN_FOR_OLDEST);
  await postgres.run('INSERT INTO plantgate_schema VALUES ($1, $2)', [next.number, worksFrom]);
  return false;
}
