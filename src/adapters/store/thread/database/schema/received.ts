import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { FIRST_PLANT } from '../../../../../domain/plant/plant-scope.ts';
import { totals } from './machines.ts';

/**
 * Tables of what other gateways sent. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04). Each change needs a migration (development.md, Migrations).
 */

/**
 * The streams of other gateways. `place` counts a gateway's streams in the order in which they began. `position` is the
 * digest of the newest applied batch, and `refused` has its refused records. `partial_items` counts the applied items of
 * the next batch, `partial_digest`.
 */
export const receivedStream = sqliteTable(
  'received_stream',
  {
    gatewayId: text('gateway_id').notNull(),
    stream: text('stream').notNull(),
    place: integer('place').notNull(),
    position: text('position').notNull(),
    refused: text('refused').notNull(),
    partialDigest: text('partial_digest'),
    partialItems: integer('partial_items').notNull(),
    lastContactAt: real('last_contact_at').notNull(),
    records: integer('records').notNull(),
    principal: text('principal').notNull(),
    newestPointAt: real('newest_point_at'),
    directory: text('directory').notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.stream] })],
);

/** The stream that holds a gateway's name, and the owner of the name (domain/sync/name-claim.ts). */
export const receivedName = sqliteTable('received_name', {
  gatewayId: text('gateway_id').primaryKey(),
  stream: text('stream').notNull(),
  principal: text('principal').notNull(),
});

/**
 * The gateways that send here, as people see them: the name that a person gave, the newest contact, the newest report of
 * its condition, as JSON (domain/fleet/gateway-health.ts), and the plant (D-108). A retired gateway has the plant alone.
 */
export const receivedGateway = sqliteTable('received_gateway', {
  gatewayId: text('gateway_id').primaryKey(),
  name: text('name'),
  heardAt: real('heard_at'),
  report: text('report'),
  plantId: text('plant_id').notNull().default(FIRST_PLANT),
});

/** Refused streams. `overruled`: a person took the name from the stream. */
export const receivedRefusal = sqliteTable(
  'received_refusal',
  {
    gatewayId: text('gateway_id').notNull(),
    stream: text('stream').notNull(),
    since: real('since').notNull(),
    principal: text('principal').notNull(),
    overruled: integer('overruled').notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.stream] })],
);

export const receivedMachine = sqliteTable(
  'received_machine',
  {
    gatewayId: text('gateway_id').notNull(),
    machineId: text('machine_id').notNull(),
    statusAt: real('status_at'),
    statusStream: text('status_stream'),
    status: text('status'),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.machineId] })],
);

/**
 * Acts that were received already. They are recognised by their id alone, because a copy of a gateway with its own name
 * brings the original's acts again.
 */
export const receivedAct = sqliteTable(
  'received_act',
  {
    gatewayId: text('gateway_id').notNull(),
    operationId: text('operation_id').notNull(),
    at: real('at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.operationId] }),
    index('received_act_by_time').on(table.at),
    index('received_act_by_operation').on(table.operationId),
  ],
);

/** The totals of a shift by stream, so that totals that a copy overwrote can be shown again. */
export const receivedShift = sqliteTable(
  'received_shift',
  {
    gatewayId: text('gateway_id').notNull(),
    stream: text('stream').notNull(),
    machineId: text('machine_id').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    ...totals,
    reading: text('reading'),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.stream, table.machineId, table.shiftDate, table.shiftName] }),
    index('received_shift_by_date').on(table.shiftDate),
  ],
);

/** The totals of each work session by stream, so that streams can be told apart. */
export const receivedSession = sqliteTable(
  'received_session',
  {
    gatewayId: text('gateway_id').notNull(),
    sessionId: text('session_id').notNull(),
    stream: text('stream').notNull(),
    lastActiveAt: real('last_active_at').notNull(),
    goodParts: integer('good_parts').notNull(),
    badParts: integer('bad_parts').notNull(),
    cycles: integer('cycles').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.sessionId, table.stream] }),
    index('received_session_by_time').on(table.lastActiveAt),
  ],
);

/**
 * The amounts to add to a stream's totals of a shift and of a work session, because another stream of its data directory,
 * `former`, had counted on meanwhile (domain/sync/catch-up.ts).
 */
export const receivedCatchUp = sqliteTable(
  'received_catch_up',
  {
    gatewayId: text('gateway_id').notNull(),
    machineId: text('machine_id').notNull(),
    stream: text('stream').notNull(),
    at: real('at').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    shiftOffset: text('shift_offset').notNull(),
    sessionId: text('session_id'),
    sessionOffset: text('session_offset'),
    former: text('former').notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.machineId, table.stream] })],
);
