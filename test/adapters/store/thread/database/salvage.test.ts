import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../../../../src/adapters/store/thread/database/migrations.ts';
import { LEFT_TABLES, SALVAGED_TABLES, salvage } from '../../../../../src/adapters/store/thread/database/salvage.ts';
import { withoutIndex } from '../../open-test-store.ts';

/** These tables are filled again by triggers, by the central server or at the next start. */
const MADE_AGAIN = [
  // Without it a node of a central server begins with a copy from the database (D-79).
  'journal_position',
  // Without them a program that follows the changes begins anew.
  'change_feed',
  'change_epoch',
  'change_floor',
  ...['condensing', 'outgoing_batch', 'queue_head', 'queue_points', 'queue_total'],
  ...['mirror_staged', 'mirror_state', 'mirrored_order_document', 'mirrored_order_row', 'order_reading', 'own_order'],
  ...['profile_epoch', 'variable_packing', 'variable_series'],
];

/** A new database with rows. */
function databaseWith(dir: string, name: string, rows: string) {
  const database = new Database(join(dir, name)).unsafeMode();
  // Nothing here outlives the test, so it does not wait for the disk.
  database.pragma('synchronous = OFF');
  migrate(database);
  database.exec(rows);
  onTestFinished(() => void database.close());
  return database;
}

/** The database that is made from one with these rows. */
function salvaged(rows: string) {
  const dir = mkdtempSync(join(tmpdir(), 'plantgate-salvage-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  databaseWith(dir, 'damaged.db', rows);
  const fresh = databaseWith(dir, 'fresh.db', '');
  return { fresh, losses: salvage(fresh, join(dir, 'damaged.db')) };
}

it('every table is saved, named as left, or can be made again', () => {
  const { fresh } = salvaged('');
  const tables = fresh.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const known: readonly string[] = [...SALVAGED_TABLES, ...LEFT_TABLES, ...MADE_AGAIN];
  expect([...known].sort()).toEqual(tables.pluck().all().sort());
});

const ACT = "INSERT INTO queue VALUES (7, 'act', 'coil:C-1', NULL, 1, 1, 2, '{}')";

it.each([
  ['send_attempt', `${ACT}; INSERT INTO send_attempt VALUES (7)`],
  ['upstream_profile', "INSERT INTO upstream_profile VALUES ('P-1', '41', 'https://central.example', 3)"],
  ['received_stream', "INSERT INTO received_stream VALUES ('line', 's', 1, 'p', '[]', NULL, 0, 1, 1, 'k', NULL, 'd')"],
  ['received_name', "INSERT INTO received_name VALUES ('line', 's', 'k')"],
  ['received_refusal', "INSERT INTO received_refusal VALUES ('line', 't', 1, 'k', 0)"],
  ['received_catch_up', "INSERT INTO received_catch_up VALUES ('line', 'RF', 's', 1, 'd', 'n', '{}', NULL, NULL, 'f')"],
  ['damaged_record', "INSERT INTO damaged_record VALUES (1, 'plant', 'machines RF', '{', 'cut off', 1)"],
])('a row of %s is saved', (table, rows) => {
  const { fresh, losses } = salvaged(rows);
  expect({ rows: fresh.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), losses }).toEqual({
    rows: 1,
    losses: [],
  });
});

it.each([
  ['received_act', 'at', 'received_act_by_time', "'line', 'o'"],
  ['catalog_subscription', 'change_number', 'catalog_subscription_by_change', "'RF', 7"],
])('a row of %s is saved with its true %s if the index %s has another', (table, column, index, key) => {
  const change = `UPDATE ${table} SET ${column} = 2`;
  const { fresh, losses } = salvaged(`INSERT INTO ${table} VALUES (${key}, 1); ${withoutIndex(index, change)}`);
  expect(fresh.prepare(`SELECT ${column} FROM ${table}`).pluck().all()).toEqual([2]);
  expect(losses).toEqual([]);
});

it('D-30 a lost act does not mark a later act with its number as sent', () => {
  const { fresh } = salvaged('INSERT INTO send_attempt VALUES (7)');
  fresh.exec(ACT);
  expect(fresh.prepare('SELECT count(*) FROM send_attempt').pluck().get()).toBe(0);
});
