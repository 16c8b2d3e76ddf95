import type { Downtime } from '../../../../domain/machine/records.ts';
import type { BatchRecord } from '../../../../domain/sync/batch.ts';
import { receivedId, receivedMachineId } from '../../../../domain/sync/received-id.ts';
import type { StoreRecord } from '../../../../flows/store-ports.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { receivedMachine } from '../database/schema/received.ts';
import type { RecordWriter } from '../record-writer.ts';
import { CatchUps } from './catch-ups.ts';
import type { BatchHeader } from './check-batch.ts';
import type { ChangedMachines } from './production/changed-machines.ts';
import { StreamSessions } from './stream-sessions.ts';
import { StreamShifts } from './stream-shifts.ts';

/** Corrections of our clock do not apply to the times of other gateways (D-04): none names this epoch. */
export const RECEIVED_EPOCH = 0;

type Sample = Extract<BatchRecord, { kind: 'status' }>['sample'];

/**
 * Writes the history of other gateways' machines beside that of our own, under their own ids. To be called within a
 * transaction.
 */
export class FactWriter {
  readonly #writer: Pick<RecordWriter, 'write'>;
  readonly #changed: Pick<ChangedMachines, 'note'>;
  readonly #enter;
  readonly #status;
  readonly #category;
  readonly #shifts: StreamShifts;
  readonly #sessions: StreamSessions;
  readonly #catchUps: CatchUps;
  /** Machines that are entered, in transactions that may yet fail. */
  readonly #entered = new Set<string>();

  constructor(connection: Connection, writer: Pick<RecordWriter, 'write'>, changed: Pick<ChangedMachines, 'note'>) {
    this.#writer = writer;
    this.#changed = changed;
    this.#shifts = new StreamShifts(connection);
    this.#sessions = new StreamSessions(connection);
    this.#catchUps = new CatchUps(connection, { shifts: this.#shifts, sessions: this.#sessions });
    this.#enter = insertInto(connection, receivedMachine, { or: 'IGNORE' });
    this.#category = connection.prepare<[string, string], Pick<Downtime, 'reasonId' | 'note' | 'userName'>>(
      `SELECT reason_id AS reasonId, note, user_name AS userName FROM downtime
       WHERE downtime_id = ? AND reason_id IS NOT NULL
         AND (SELECT count(*) FROM received_stream WHERE gateway_id = ?) > 1`,
    );
    // Within a stream the later status is the newer one; between two streams the status with the later time is.
    this.#status = connection.prepare(
      `UPDATE received_machine SET status_at = @at, status = @json, status_stream = @stream
       WHERE gateway_id = @gatewayId AND machine_id = @machineId
         AND (status_at IS NULL OR status_stream = @stream OR status_at <= @at)`,
    );
  }

  /** Operations are not written here: they were carried out before. */
  write(header: BatchHeader, record: BatchRecord, wallMs: number): void {
    const { gatewayId, stream } = header;
    if (record.kind === 'status') {
      this.#writeStatus(gatewayId, stream, record.sample);
      return;
    }
    const own = asReceived(gatewayId, record);
    if (own === null) return;
    if (own.machineId !== null) this.enter(gatewayId, own.machineId);
    this.#changed.note(gatewayId, own.record);
    if (own.record.kind === 'catchUp') this.#catchUps.note(header, own.record.catchUp);
    else this.#writer.write(this.#shown(header, own.record), { epoch: RECEIVED_EPOCH, wallMs });
  }

  /** Notes that the gateway has this machine. */
  enter(gatewayId: string, machineId: string): void {
    const key = receivedId(gatewayId, machineId);
    if (this.#entered.has(key)) return;
    this.#enter({ gatewayId, machineId, statusAt: null, statusStream: null, status: null });
    this.#entered.add(key);
  }

  /** A transaction was rolled back: its machines are not entered. */
  forget(): void {
    this.#entered.clear();
  }

  #shown(header: BatchHeader, record: Kept): Kept {
    if (record.kind === 'shift') {
      const counted = this.#catchUps.countedOn(header, record.shift);
      return { kind: 'shift', shift: this.#shifts.noted(header, counted) };
    }
    if (record.kind === 'workSession') {
      const counted = this.#catchUps.workedOn(header, record.session);
      return { kind: 'workSession', session: this.#sessions.noted(header, counted) };
    }
    if (record.kind !== 'downtime' || record.downtime.reasonId !== null) return record;
    // If several data directories sent under this name, one without the category may be older than the one that had it.
    const category = this.#category.get(record.downtime.downtimeId, header.gatewayId);
    return category === undefined ? record : { kind: 'downtime', downtime: { ...record.downtime, ...category } };
  }

  #writeStatus(gatewayId: string, stream: string, { machineId, at, json }: Sample): void {
    this.enter(gatewayId, machineId);
    this.#status.run({ gatewayId, machineId, stream, at, json });
  }
}

type Fact = Exclude<BatchRecord, { kind: 'act' | 'status' }>;
type Own = {
  readonly machineId: string | null;
  readonly record: Extract<StoreRecord, { kind: Fact['kind'] }>;
};
type Kept = Exclude<Own['record'], { kind: 'catchUp' }>;

/** The record with the ids under which it is kept; null for an operation. */
export function asReceived(gatewayId: string, fact: Exclude<BatchRecord, { kind: 'status' }>): Own | null {
  const machine = (id: string) => receivedMachineId(gatewayId, id);
  const id = (own: string) => receivedId(gatewayId, own);
  switch (fact.kind) {
    case 'act':
      return null;
    case 'downtimeRemoved':
      return { machineId: null, record: { kind: 'downtimeRemoved', downtimeId: id(fact.downtimeId) } };
    case 'shift': {
      const { machineId } = fact.shift;
      return { machineId, record: { kind: 'shift', shift: { ...fact.shift, machineId: machine(machineId) } } };
    }
    case 'downtime': {
      const { machineId, downtimeId } = fact.downtime;
      const downtime = { ...fact.downtime, machineId: machine(machineId), downtimeId: id(downtimeId) };
      return { machineId, record: { kind: 'downtime', downtime } };
    }
    case 'span': {
      const { machineId, spanId } = fact.span;
      const span = { ...fact.span, machineId: machine(machineId), spanId: id(spanId) };
      return { machineId, record: { kind: 'span', span } };
    }
    case 'workSession': {
      const { machineId, sessionId } = fact.session;
      const session = { ...fact.session, machineId: machine(machineId), sessionId: id(sessionId) };
      return { machineId, record: { kind: 'workSession', session } };
    }
    case 'anomaly': {
      const { machineId } = fact.anomaly;
      return { machineId, record: { kind: 'anomaly', anomaly: { ...fact.anomaly, machineId: machine(machineId) } } };
    }
    case 'catchUp': {
      const { shift, session } = fact.catchUp;
      const machineId = machine(shift.machineId);
      const credited = session === null ? null : { ...session, machineId, sessionId: id(session.sessionId) };
      const catchUp = { ...fact.catchUp, shift: { ...shift, machineId }, session: credited };
      return { machineId: shift.machineId, record: { kind: 'catchUp', catchUp } };
    }
    case 'part': {
      const { machineId, part, at } = fact;
      return { machineId, record: { kind: 'part', machineId: machine(machineId), part, at } };
    }
  }
}
