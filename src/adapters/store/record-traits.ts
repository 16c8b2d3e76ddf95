import type { Operation } from '../../domain/sync/operation.ts';
import type { StoreFact, WireRecord } from './protocol.ts';

/** Properties of a record that the store needs beside its content: whether a newer one replaces it, and how large it is. */

/** A fact about one machine: only the newest one of a key counts. */
export type MachineRecord = Extract<
  StoreFact,
  {
    kind:
      | 'machineState'
      | 'shift'
      | 'downtime'
      | 'span'
      | 'workSession'
      | 'anomaly'
      | 'catchUp'
      | 'part'
      | 'statusSample';
  }
>;

const RECORD_BYTES = 200;
const POINT_BYTES = 48;
const FEATURE_BYTES = 100;
const SEED_BYTES = 400;
const BYTES_PER_CHARACTER = 1;

export function machineRecord(record: StoreFact): MachineRecord | null {
  switch (record.kind) {
    case 'machineState':
    case 'shift':
    case 'downtime':
    case 'span':
    case 'workSession':
    case 'anomaly':
    case 'catchUp':
    case 'part':
    case 'statusSample':
      return record;
    default:
      return null;
  }
}

/** Whether the order of this record among those of machines matters. */
export function reordersMachines(record: StoreFact): boolean {
  return record.kind === 'downtimeRemoved' || record.kind === 'clockCorrected' || machineRecord(record) !== null;
}

/** The machine of a record, and the key under which a newer record of that machine replaces it. */
export function coalescingKey(record: MachineRecord): { readonly machineId: string; readonly key: string } {
  switch (record.kind) {
    case 'machineState':
    case 'part':
      return { machineId: record.machineId, key: record.kind };
    case 'shift':
      return { machineId: record.shift.machineId, key: `shift ${record.shift.shiftDate} ${record.shift.shiftName}` };
    case 'downtime':
      return { machineId: record.downtime.machineId, key: `downtime ${record.downtime.downtimeId}` };
    case 'span':
      return { machineId: record.span.machineId, key: `span ${record.span.spanId}` };
    case 'workSession':
      return { machineId: record.session.machineId, key: `session ${record.session.sessionId}` };
    case 'anomaly':
      return { machineId: record.anomaly.machineId, key: `anomaly ${record.anomaly.at} ${record.anomaly.counter}` };
    case 'catchUp':
      return { machineId: record.catchUp.shift.machineId, key: `catchUp ${record.catchUp.at}` };
    case 'statusSample': {
      const { machineId, why, json } = record.sample;
      // Counters are cumulative, so a newer status replaces one that was only repeated. All others are needed (D-26).
      return { machineId, key: why === 'repeat' ? why : `${why} ${json}` };
    }
  }
}

/**
 * Whether a person, an API client or a device over HTTP asks once and waits for yes or no. A publisher over MQTT waits
 * for its PUBACK as long as it takes, and the broker's own records wait with it.
 */
export function isAskedOnce(record: StoreFact): boolean {
  switch (record.kind) {
    case 'part':
    case 'downtime':
    case 'downtimeRemoved':
    case 'plant':
    case 'orderPut':
    case 'orderRemoved':
    case 'profile':
    case 'taskProgress':
    case 'coilLocation':
    case 'legacyWrite':
    case 'legacyWriteSettled':
    case 'warehouseSeed':
    case 'warehouseRemoval':
    case 'receivedOperation':
    case 'nameTaken':
    case 'nameRefused':
    case 'nameGranted':
    case 'requestDone':
    case 'act':
    case 'setAsideRetried':
    case 'setAsideDiscarded':
      return true;
    case 'variables':
      return record.receipt === null;
    default:
      return false;
  }
}

/** The same of a record on its way; points travel apart from it. */
export function wireBytes(record: WireRecord): number {
  return record.kind === 'points' ? RECORD_BYTES : recordBytes(record);
}

/** The approximate memory of a waiting record, in bytes. */
export function recordBytes(record: StoreFact): number {
  switch (record.kind) {
    case 'machineState':
      return RECORD_BYTES + record.json.length * BYTES_PER_CHARACTER;
    case 'plant':
      return RECORD_BYTES + (record.row.json?.length ?? 0) * BYTES_PER_CHARACTER;
    case 'orderPut':
      return RECORD_BYTES + record.order.json.length * BYTES_PER_CHARACTER;
    case 'profile':
      return RECORD_BYTES + record.profile.features.length * FEATURE_BYTES + (record.thumbnail?.length ?? 0);
    case 'variables':
      return RECORD_BYTES + record.points.length * POINT_BYTES;
    case 'warehouseSeed':
      return RECORD_BYTES + SEED_BYTES;
    case 'act':
      return RECORD_BYTES + operationBytes(record.queued.act);
    case 'audit':
      return RECORD_BYTES + (record.entry.before?.length ?? 0) + (record.entry.after?.length ?? 0);
    case 'statusSample':
      return RECORD_BYTES + record.sample.json.length * BYTES_PER_CHARACTER;
    case 'brokerPut':
      return RECORD_BYTES + record.row.key.length * BYTES_PER_CHARACTER + record.row.value.byteLength;
    default:
      return RECORD_BYTES;
  }
}

function operationBytes(operation: Operation): number {
  if (operation.type === 'orderPut') return operation.json.length * BYTES_PER_CHARACTER;
  return operation.type === 'profilePut' ? operation.profile.features.length * FEATURE_BYTES : 0;
}
