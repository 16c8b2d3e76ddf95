import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  jsonb,
  doublePrecision as number,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { central } from './machines.ts';

/**
 * Tables of what people and programs do at the central server: the journal that all nodes follow. `plant_id` is the plant
 * whose journal it is. Each change needs a migration (development.md, Migrations).
 */

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** The end of a journal, and the node whose turn it is to decide. */
export const journal = central.table('journal', {
  plantId: text('plant_id').primaryKey(),
  /** Names this journal: a node never mixes two. */
  history: text('history').notNull(),
  seq: bigint('seq', { mode: 'number' }).notNull(),
  /** The last write; empty before the first. */
  writeId: text('write_id').notNull(),
  /** Counts the turns. A write of an earlier turn is refused. */
  turn: bigint('turn', { mode: 'number' }).notNull(),
  /** The run of the node that has the turn; null: nobody has it. */
  holder: text('holder'),
  heldUntil: timestamp('held_until', { withTimezone: true }),
  /** When another node asked for the turn and did not get it. */
  wantedAt: timestamp('wanted_at', { withTimezone: true }),
});

/** Writes in the order of their commits. A long one has several rows, of which the last says so. */
export const journalEntry = central.table(
  'journal_entry',
  {
    plantId: text('plant_id').notNull(),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    writeId: text('write_id').notNull(),
    isLast: boolean('is_last').notNull(),
    /** The run of the node that wrote it. */
    run: text('run').notNull(),
    /** The oldest format of records that a program has to know to follow it. */
    format: integer('format').notNull(),
    writtenAt: number('written_at').notNull(),
    /** Records as JSON, an array (record-text.ts). */
    records: text('records').notNull(),
  },
  (table) => [primaryKey({ columns: [table.plantId, table.seq] })],
);

/** Copies of a node's database, from which a new node begins. */
export const journalCopy = central.table(
  'journal_copy',
  {
    plantId: text('plant_id').notNull(),
    copyId: text('copy_id').notNull(),
    /** Its place in the journal. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    writeId: text('write_id').notNull(),
    madeAt: timestamp('made_at', { withTimezone: true }).notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    isWhole: boolean('is_whole').notNull(),
  },
  (table) => [primaryKey({ columns: [table.plantId, table.copyId] })],
);

export const journalCopyPart = central.table(
  'journal_copy_part',
  {
    plantId: text('plant_id').notNull(),
    copyId: text('copy_id').notNull(),
    part: integer('part').notNull(),
    content: bytea('content').notNull(),
  },
  (table) => [primaryKey({ columns: [table.plantId, table.copyId, table.part] })],
);

/**
 * Tokens of limits that nodes took, for the minutes in which the others need them. It is UNLOGGED: it costs no WAL, and is
 * empty after a crash of the database.
 */
export const limitUse = central.table(
  'limit_use',
  {
    /** The run of the node, and the number of its exchange. */
    node: text('node').notNull(),
    turn: integer('turn').notNull(),
    at: number('at').notNull(),
    taken: jsonb('taken').notNull(),
  },
  (table) => [primaryKey({ columns: [table.node, table.turn] }), index('limit_use_at').on(table.at)],
);

/** Work that one node does for all, such as alerts. */
export const duty = central.table('duty', {
  name: text('name').primaryKey(),
  /** The run of the node that does it. */
  holder: text('holder').notNull(),
  heldUntil: timestamp('held_until', { withTimezone: true }).notNull(),
});
