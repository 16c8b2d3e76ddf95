import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from 'better-sqlite3';
import type { Connection } from './database/connection.ts';

/** Rows that are deleted in one turn. */
const ROWS_PER_SLICE = 200;
/** Rows that are examined in one turn. */
const ROWS_PER_LOOK = 1_000;

type Conditions = Readonly<Record<string, string>>;
type Ages = { readonly before: number; readonly longBefore: number };
type Deletion = Statement<[Readonly<Record<string, unknown>>]>;

const SHIFT_IS_OLD = "shift_date < strftime('%Y-%m-%d', @before / 1000, 'unixepoch')";
const SHIFT_IS_LONG_AGO = "shift_date < strftime('%Y-%m-%d', @longBefore / 1000, 'unixepoch')";
/**
 * The rows of each table that may be deleted once they are older than `before`, or than `longBefore` for what was produced
 * and why a machine stood. A downtime that waits for its category
 * is never deleted. One of another gateway (`/` in its id, received-id.ts) may be, because it waits at that gateway. No
 * index finds the old rows of these tables, so the whole table is looked through.
 */
const OLD_ROWS: Conditions = {
  span: "ended_at < @before AND (activity <> 'fault' OR ended_at < @longBefore)",
  downtime: "ended_at < @longBefore AND (reason_id IS NOT NULL OR machine_id LIKE '%/%')",
  work_session: 'ended_at < @longBefore',
};
/** Old rows of tables whose primary key begins with the machine: they are searched machine by machine. */
const OLD_ROWS_OF_MACHINE: Conditions = {
  anomaly: 'at < @before',
  override_span: 'ended_at < @before',
  // Not after the totals: a correction of the clock subtracts quarters from the totals of their shift.
  production_quarter: SHIFT_IS_OLD,
  shift_totals: SHIFT_IS_LONG_AGO,
  shift_summary: SHIFT_IS_LONG_AGO,
};
/**
 * Acts are deleted up to the first one that is young enough, whatever times later ones have, so that the chain stays
 * whole. The newest act always stays, because the chain goes on from it.
 */
const FIRST_KEPT_ACT =
  'SELECT coalesce((SELECT min(number) FROM audit WHERE at >= ?), (SELECT max(number) FROM audit))';
/** Old rows of tables that are small, or have an index by age. */
const OLD_ROWS_BY_INDEX: Conditions = {
  alert: 'ended_at < @before',
  person_session: 'last_used_at < @before',
  received_session: 'last_active_at < @longBefore',
  received_catch_up: SHIFT_IS_OLD,
  received_shift: SHIFT_IS_LONG_AGO,
  received_shift_figures: SHIFT_IS_LONG_AGO,
  received_stop_figures: SHIFT_IS_LONG_AGO,
  received_work_figures: SHIFT_IS_LONG_AGO,
};

/**
 * Deletes rows of all tables but the variables' in short transactions, with turns for other work between them. All times
 * in wall-clock milliseconds. Gives the number of deleted rows.
 */
export async function deleteOldRows(
  connection: Connection,
  { before, longBefore, auditBefore }: Ages & { readonly auditBefore: number },
): Promise<number> {
  let deletedRows = 0;
  const ages = { before, longBefore };
  for (const [table, condition] of Object.entries(OLD_ROWS)) {
    deletedRows += await deleteThrough(connection, table, condition, ages);
  }
  for (const [table, condition] of Object.entries(OLD_ROWS_OF_MACHINE)) {
    deletedRows += await deleteByMachine(connection, table, condition, ages);
  }
  for (const [table, condition] of Object.entries(OLD_ROWS_BY_INDEX)) {
    deletedRows += await deleteInSlices(deletionOf(connection, table, condition), ages);
  }
  return deletedRows + (await deleteActs(connection, auditBefore));
}

/** Looks through a table in the order of its row numbers. They have gaps: a replaced row gets a new number. */
async function deleteThrough(connection: Connection, table: string, condition: string, ages: Ages): Promise<number> {
  const nextRows = `SELECT rowid FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${ROWS_PER_LOOK}`;
  const endOfLook = connection.prepare<[number], number | null>(`SELECT max(rowid) FROM (${nextRows})`).pluck();
  const deletion = deletionOf(connection, table, `rowid > @after AND rowid <= @to AND ${condition}`);
  let deletedRows = 0;
  let after = 0;
  for (let to = endOfLook.get(after) ?? null; to !== null; to = endOfLook.get(after) ?? null) {
    deletedRows += await deleteInSlices(deletion, { ...ages, after, to });
    after = to;
  }
  return deletedRows;
}

async function deleteByMachine(connection: Connection, table: string, condition: string, ages: Ages): Promise<number> {
  const nextMachine = connection
    .prepare<[string], string>(`SELECT machine_id FROM ${table} WHERE machine_id > ? ORDER BY machine_id LIMIT 1`)
    .pluck();
  const deletion = deletionOf(connection, table, `machine_id = @machineId AND ${condition}`);
  let deletedRows = 0;
  for (let machineId = nextMachine.get(''); machineId !== undefined; machineId = nextMachine.get(machineId)) {
    deletedRows += await deleteInSlices(deletion, { ...ages, machineId });
  }
  return deletedRows;
}

function deleteActs(connection: Connection, before: number): Promise<number> {
  const firstKept = connection.prepare<[number], number | null>(FIRST_KEPT_ACT).pluck().get(before) ?? null;
  return deleteInSlices(deletionOf(connection, 'audit', 'number < @firstKept', 'ORDER BY number'), { firstKept });
}

function deletionOf(connection: Connection, table: string, condition: string, order = ''): Deletion {
  return connection.prepare(`DELETE FROM ${table} WHERE ${condition} ${order} LIMIT ${ROWS_PER_SLICE}`);
}

/** Runs a deletion until nothing is left, with a turn for other work after each slice. Gives the number of rows. */
async function deleteInSlices(deletion: Deletion, values: Readonly<Record<string, unknown>>): Promise<number> {
  let deletedRows = 0;
  for (let deleted = ROWS_PER_SLICE; deleted === ROWS_PER_SLICE; await nextTurn()) {
    deleted = deletion.run(values).changes;
    deletedRows += deleted;
  }
  return deletedRows;
}
