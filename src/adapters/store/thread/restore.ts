import { and, isNotNull, isNull, notLike, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { MachineId } from '../../../domain/machine/machine-names.ts';
import type { PartSelection } from '../../../domain/machine/records.ts';
import type { PlantKind } from '../../../domain/plant/plant-entry.ts';
import type { BrokerTable, DamagedRecord, StoredState } from '../../../flows/store-ports.ts';
import { readableJson } from './database/damaged-records.ts';
import { downtime, machinePart, machineState } from './database/schema/machines.ts';
import { personSession } from './database/schema/people.ts';
import { appliedBatch, brokerRow } from './database/schema/store.ts';
import { plant } from './database/schema/warehouse.ts';
import { downtimeRecord } from './history-queries.ts';

/** Machines of other gateways have a slash in their ids (received-id.ts): their history is not our state. */
const RECEIVED = '%/%';

/** The state with which the gateway goes on where it stopped (D-03); open downtimes are those that last or wait for their category. */
export function restoreState(database: BetterSQLite3Database): Omit<StoredState, 'setAside'> {
  const damaged: DamagedRecord[] = [];
  const states = database.select().from(machineState).all();
  const parts = database.select().from(machinePart).where(notLike(machinePart.machineId, RECEIVED)).all();
  damaged.push(...damagedLegacyWrites(database));
  const isOurs = notLike(downtime.machineId, RECEIVED);
  // Each half has an index of its own. An OR, or a UNION that sorts, would read every downtime at each start.
  const lasting = database
    .select()
    .from(downtime)
    .where(and(isNull(downtime.endedAt), isOurs));
  const uncategorized = database
    .select()
    .from(downtime)
    .where(and(isNull(downtime.reasonId), isNotNull(downtime.endedAt), isOurs));
  const open = lasting.unionAll(uncategorized).all();
  return {
    // Ids and kinds were checked before they were stored.
    machineStates: states.map(({ machineId, json }) => ({ machineId: machineId as MachineId, json })),
    parts: parts.flatMap(({ machineId, json, at }) => {
      const part = json === null ? null : partOf(json);
      if (part !== undefined) return [{ machineId: machineId as MachineId, part, at }];
      damaged.push({ table: 'machine_part', key: machineId, content: json ?? '', reason: 'no selected part as JSON' });
      return [];
    }),
    openDowntimes: open.map(downtimeRecord),
    plant: database
      .select()
      .from(plant)
      .all()
      .map((row) => ({ ...row, kind: row.kind as PlantKind })),
    personSessions: database.select().from(personSession).orderBy(personSession.lastUsedAt).all(),
    broker: database
      .select()
      .from(brokerRow)
      .all()
      .map(({ tableName, key, value }) => ({ table: tableName as BrokerTable, key, value: new Uint8Array(value) })),
    lastWrittenAt: database.select({ at: appliedBatch.writtenAt }).from(appliedBatch).get()?.at ?? null,
    damaged,
  };
}

/** Once it is lost, only a person can ask the legacy system about an unconfirmed write. */
function damagedLegacyWrites(database: BetterSQLite3Database): readonly DamagedRecord[] {
  const rows = database.all<{ key: string; json: string }>(sql`SELECT operation_id AS key, json FROM legacy_write`);
  return rows
    .filter(({ json }) => typeof readableJson(json) !== 'object')
    .map(({ key, json }) => ({ table: 'legacy_write', key, content: json, reason: 'no JSON' }));
}

/** Undefined: the row is damaged. */
function partOf(json: string): PartSelection | undefined {
  const stored = readableJson(json);
  const isPart =
    typeof stored === 'object' &&
    stored !== null &&
    'partId' in stored &&
    typeof stored.partId === 'string' &&
    'selectedAt' in stored &&
    typeof stored.selectedAt === 'number';
  // Only RecordWriter writes it; a byte that changed within a text is not seen.
  return isPart ? (stored as PartSelection) : undefined;
}

/** The number of the newest batch of this run that is on disk; 0 for none. */
export function appliedNumber(database: BetterSQLite3Database, runId: string): number {
  const row = database.select().from(appliedBatch).get();
  return row?.runId === runId ? row.number : 0;
}
