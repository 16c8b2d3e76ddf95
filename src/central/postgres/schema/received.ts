import { boolean, index, integer, doublePrecision as number, primaryKey, text } from 'drizzle-orm/pg-core';
import { FIRST_PLANT } from '../../../domain/plant/plant-scope.ts';
import { central, totals } from './machines.ts';

/**
 * Tables of the gateways that send here. Times are wall-clock milliseconds since 1970. Each change needs a migration
 * (development.md, Migrations).
 */

/** The gateways that send here. */
export const gateway = central.table('gateway', {
  gatewayId: text('gateway_id').primaryKey(),
  /** The stream that holds the name, and the owner of the name (domain/sync/name-claim.ts); null: none does yet. */
  holder: text('holder'),
  owner: text('owner'),
  /** The name that a person gave it. */
  name: text('name'),
  /** The newest contact. */
  heardAt: number('heard_at'),
  /** The newest report of its condition, GatewayReport as JSON (domain/fleet/gateway-health.ts). */
  report: text('report'),
  /** The plant of its key (D-108). A retired gateway has it alone, because its records stay. */
  plantId: text('plant_id').notNull().default(FIRST_PLANT),
});

/** The plants that a role of PostgreSQL may read in the views (D-101, D-108). Administrators of the database write it. */
export const readerPlant = central.table(
  'reader_plant',
  {
    roleName: text('role_name').notNull(),
    plantId: text('plant_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.roleName, table.plantId] })],
);

/**
 * The streams of a gateway. `place` counts them in the order in which they began. `position` is the digest of the newest
 * applied batch, and `refused` has its refused records.
 */
export const stream = central.table(
  'stream',
  {
    gatewayId: text('gateway_id').notNull(),
    stream: text('stream').notNull(),
    place: integer('place').notNull(),
    position: text('position').notNull(),
    refused: text('refused').notNull(),
    lastContactAt: number('last_contact_at').notNull(),
    records: number('records').notNull(),
    principal: text('principal').notNull(),
    newestPointAt: number('newest_point_at'),
    directory: text('directory').notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.stream] })],
);

/** The streams that any node heard, by the database's clock (domain/sync/name-claim.ts). */
export const presence = central.table(
  'presence',
  {
    gatewayId: text('gateway_id').notNull(),
    stream: text('stream').notNull(),
    principal: text('principal').notNull(),
    heardAt: number('heard_at').notNull(),
    aliveUntil: number('alive_until').notNull(),
    waitingSince: number('waiting_since'),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.stream, table.principal] })],
);

/** Refused streams. `overruled`: a person took the name from the stream. */
export const refusal = central.table(
  'refusal',
  {
    gatewayId: text('gateway_id').notNull(),
    stream: text('stream').notNull(),
    since: number('since').notNull(),
    principal: text('principal').notNull(),
    overruled: boolean('overruled').notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.stream] })],
);

export const machine = central.table(
  'machine',
  {
    gatewayId: text('gateway_id').notNull(),
    machineId: text('machine_id').notNull(),
    statusAt: number('status_at'),
    statusStream: text('status_stream'),
    status: text('status'),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.machineId] })],
);

/** The totals of a shift by stream, so that totals that a copy overwrote can be shown again. */
export const streamShift = central.table(
  'stream_shift',
  {
    gatewayId: text('gateway_id').notNull(),
    stream: text('stream').notNull(),
    machineId: text('machine_id').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    ...totals,
    /** The machine's counters when the totals were taken, MachineReading as JSON, and their time. */
    reading: text('reading'),
    readAt: number('read_at'),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.machineId, table.shiftDate, table.shiftName, table.stream] }),
    index('stream_shift_by_date').on(table.shiftDate),
  ],
);

/** The totals of a work session by stream. */
export const streamSession = central.table(
  'stream_session',
  {
    gatewayId: text('gateway_id').notNull(),
    sessionId: text('session_id').notNull(),
    stream: text('stream').notNull(),
    lastActiveAt: number('last_active_at').notNull(),
    goodParts: number('good_parts').notNull(),
    badParts: number('bad_parts').notNull(),
    cycles: number('cycles').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.sessionId, table.stream] }),
    index('stream_session_by_time').on(table.lastActiveAt),
  ],
);

/**
 * The amounts to add to a stream's totals of a shift and of a work session, because another stream of its data directory,
 * `former`, had counted on meanwhile (domain/sync/catch-up.ts).
 */
export const catchUp = central.table(
  'catch_up',
  {
    gatewayId: text('gateway_id').notNull(),
    machineId: text('machine_id').notNull(),
    stream: text('stream').notNull(),
    at: number('at').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    shiftOffset: text('shift_offset').notNull(),
    sessionId: text('session_id'),
    sessionOffset: text('session_offset'),
    former: text('former').notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayId, table.machineId, table.stream] })],
);
