import { and, isNull, notLike, or } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { MachineId } from '../../../domain/machine/machine-id.ts';
import type { BrokerTable, PlantKind, StoredState } from '../../../flows/ports.ts';
import { downtimeRecord } from './history-queries.ts';
import { appliedBatch, brokerRow, downtime, machinePart, machineState, plant } from './schema.ts';

/** Machines of other gateways have a slash in their ids (received-id.ts): what they did is no state of ours. */
const RECEIVED = '%/%';

/** What the gateway needs to go on where it stopped (D-03); open downtimes are those that last or wait for their category. */
export function restoreState(database: BetterSQLite3Database): Omit<StoredState, 'setAsideFile'> {
  const states = database.select().from(machineState).all();
  const parts = database.select().from(machinePart).where(notLike(machinePart.machineId, RECEIVED)).all();
  const open = database
    .select()
    .from(downtime)
    .where(and(or(isNull(downtime.endedAt), isNull(downtime.reasonId)), notLike(downtime.machineId, RECEIVED)))
    .all();
  return {
    // Ids and kinds were checked before they were stored.
    machineStates: states.map(({ machineId, json }) => ({ machineId: machineId as MachineId, json })),
    parts: parts.map(({ machineId, json, at }) => ({
      machineId: machineId as MachineId,
      part: json === null ? null : JSON.parse(json),
      at,
    })),
    openDowntimes: open.map(downtimeRecord),
    plant: database
      .select()
      .from(plant)
      .all()
      .map((row) => ({ ...row, kind: row.kind as PlantKind })),
    broker: database
      .select()
      .from(brokerRow)
      .all()
      .map(({ tableName, key, value }) => ({ table: tableName as BrokerTable, key, value: new Uint8Array(value) })),
    lastWrittenAt: database.select({ at: appliedBatch.writtenAt }).from(appliedBatch).get()?.at ?? null,
  };
}

/** The number of the newest batch of this run that is on disk; 0 for none. */
export function appliedNumber(database: BetterSQLite3Database, runId: string): number {
  const row = database.select().from(appliedBatch).get();
  return row?.runId === runId ? row.number : 0;
}
