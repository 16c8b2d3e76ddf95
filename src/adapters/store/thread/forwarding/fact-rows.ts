import type { CatchUp } from '../../../../domain/machine/records.ts';
import { machineEntity } from '../../../../domain/sync/operation.ts';
import type { StoreRecord } from '../../../../flows/store-ports.ts';
import type { Connection } from '../database/connection.ts';
import type { NewFactRow } from './queue/queue-rows.ts';

/** Records of the history that are forwarded to the central server (D-27, D-29). */
export type HistoryRecord = Extract<
  StoreRecord,
  { kind: 'shift' | 'downtime' | 'downtimeRemoved' | 'span' | 'workSession' | 'anomaly' | 'catchUp' | 'part' }
>;

/** The place of a fact in the history: its class and its key there. */
export type FactKey =
  | readonly ['shift', machineId: string, shiftDate: string, shiftName: string]
  | readonly ['downtime' | 'span' | 'workSession' | 'part', id: string]
  | readonly ['anomaly', machineId: string, at: number, counter: string]
  | readonly ['catchUp', machineId: string, at: number];

export function factKeyText(key: FactKey): string {
  return JSON.stringify(key);
}

/** The row that queues a fact. `wallMs`: now. */
export function factRow(record: HistoryRecord, epoch: number, wallMs: number): NewFactRow {
  const row = (key: FactKey, machineId: string, at: number, body: string | null = null): NewFactRow => {
    return { class: record.kind, entity: machineEntity(machineId), factKey: factKeyText(key), at, epoch, body };
  };
  switch (record.kind) {
    case 'shift': {
      const { machineId, shiftDate, shiftName } = record.shift;
      return row(['shift', machineId, shiftDate, shiftName], machineId, wallMs);
    }
    case 'downtime':
      return row(['downtime', record.downtime.downtimeId], record.downtime.machineId, record.downtime.startedAt);
    case 'downtimeRemoved':
      return row(['downtime', record.downtimeId], '', wallMs);
    case 'span':
      return row(['span', record.span.spanId], record.span.machineId, record.span.startedAt);
    case 'workSession':
      return row(['workSession', record.session.sessionId], record.session.machineId, record.session.startedAt);
    case 'part':
      return row(['part', record.machineId], record.machineId, record.at);
    case 'anomaly': {
      // Its time is part of its key in the history and moves with the clock's corrections, so its content is kept here.
      const { machineId, at, counter, from, to } = record.anomaly;
      return row(
        ['anomaly', machineId, at, counter],
        machineId,
        at,
        JSON.stringify({ machineId, at, counter, from, to }),
      );
    }
    case 'catchUp': {
      // Its content belongs to that moment, and its time moves like that of an anomaly.
      const { at, ...rest } = record.catchUp;
      const { machineId } = rest.shift;
      return row(['catchUp', machineId, at], machineId, at, JSON.stringify(rest));
    }
  }
}

/** The newest facts of each kind that go to the central server again after a correction of the clock. */
const MAX_CORRECTED_FACTS = 10_000;

const CORRECTED_FACTS = [
  ['downtime', 'downtime', 'downtime_id'],
  ['span', 'span', 'span_id'],
  ['workSession', 'work_session', 'session_id'],
] as const;

/** The rows that queue facts of a boot again, because their times were corrected. */
export function correctedFacts(connection: Connection, bootId: string, epoch: number): readonly NewFactRow[] {
  return CORRECTED_FACTS.flatMap(([name, table, id]) => {
    const rows = connection
      .prepare<[string, number], { readonly id: string; readonly machineId: string; readonly at: number }>(
        `SELECT ${id} AS id, machine_id AS machineId, started_at AS at FROM ${table}
         WHERE epoch IN (SELECT id FROM clock_epoch WHERE boot_id = ?) ORDER BY started_at DESC LIMIT ?`,
      )
      .all(bootId, MAX_CORRECTED_FACTS);
    return rows.reverse().map(({ machineId, at, ...fact }) => ({
      ...{ class: name, entity: machineEntity(machineId), factKey: factKeyText([name, fact.id]) },
      ...{ at, epoch, body: null },
    }));
  });
}

/** The facts whose numbers a catch-up explains. */
export function factsOf({ shift, session }: CatchUp): readonly FactKey[] {
  const ofShift: FactKey = ['shift', shift.machineId, shift.shiftDate, shift.shiftName];
  return session === null ? [ofShift] : [ofShift, ['workSession', session.sessionId]];
}
