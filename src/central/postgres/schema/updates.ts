import { bigint, customType, doublePrecision as number, primaryKey, text } from 'drizzle-orm/pg-core';
import { central } from './machines.ts';

/** Tables of archives for gateways (D-111). Each change needs a migration (development.md, Migrations). */

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** An archive that is kept, or one that is coming. */
export const updateArchive = central.table('update_archive', {
  uploadId: text('upload_id').primaryKey(),
  /** The SHA-256 of its program; null, as version and architecture, until it has come as a whole and is verified. */
  archiveId: text('archive_id').unique(),
  version: text('version'),
  arch: text('arch'),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull(),
  begunAt: number('begun_at').notNull(),
});

/** Its pieces, as they came. They are signed programs, which hardly compress: stored as they are, a part of one is read alone. */
export const updateArchivePart = central.table(
  'update_archive_part',
  {
    uploadId: text('upload_id')
      .notNull()
      .references(() => updateArchive.uploadId, { onDelete: 'cascade' }),
    /** Its place in the archive. */
    fromByte: bigint('from_byte', { mode: 'number' }).notNull(),
    content: bytea('content').notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.fromByte] })],
);
