import type { MachineId } from '../../../../../domain/machine/machine-names.ts';
import type { ChangedMachine } from '../../../../../flows/fleet-production/fleet-production-ports.ts';
import type { StoreRecord } from '../../../../../flows/store-ports.ts';
import type { Connection } from '../../database/connection.ts';

type Change = Pick<ChangedMachine, 'gatewayId' | 'machineId' | 'sinceAt' | 'sinceDate'>;

const EARLIEST = `ON CONFLICT (machine_id) DO UPDATE SET mark = mark + 1,
  since_at = min(coalesce(since_at, excluded.since_at), coalesce(excluded.since_at, since_at)),
  since_date = min(coalesce(since_date, excluded.since_date), coalesce(excluded.since_date, since_date))`;

/** Machines of gateways whose records changed since their shifts were added up. To be called within a transaction. */
export class ChangedMachines {
  readonly #note;
  readonly #noteStop;
  readonly #notePlan;
  readonly #some;

  constructor(connection: Connection) {
    this.#note = connection.prepare<Change>(
      `INSERT INTO received_change (machine_id, gateway_id, since_at, since_date, mark)
       VALUES (@machineId, @gatewayId, @sinceAt, @sinceDate, 1) ${EARLIEST}`,
    );
    this.#noteStop = connection.prepare<{ readonly gatewayId: string; readonly downtimeId: string }>(
      `INSERT INTO received_change (machine_id, gateway_id, since_at, since_date, mark)
       SELECT machine_id, @gatewayId, started_at, NULL, 1 FROM downtime WHERE downtime_id = @downtimeId ${EARLIEST}`,
    );
    this.#notePlan = connection.prepare<{ readonly gatewayId: string; readonly sinceDate: string }>(
      `INSERT INTO received_change (machine_id, gateway_id, since_at, since_date, mark)
       SELECT machine_id, @gatewayId, NULL, first_date, 1 FROM (
         SELECT gateway_id || '/' || own.machine_id AS machine_id, (SELECT min(shift_date) FROM shift_totals
           WHERE machine_id = gateway_id || '/' || own.machine_id AND shift_date >= @sinceDate) AS first_date
         FROM received_machine AS own WHERE gateway_id = @gatewayId)
       WHERE first_date IS NOT NULL ${EARLIEST}`,
    );
    this.#some = connection.prepare<[string, number], ChangedMachine>(
      `SELECT machine_id AS machineId, gateway_id AS gatewayId, since_at AS sinceAt, since_date AS sinceDate, mark
       FROM received_change WHERE machine_id > ? ORDER BY machine_id LIMIT ?`,
    );
  }

  /** To be called before the record is written, under the ids under which it is kept. */
  note(gatewayId: string, record: StoreRecord): void {
    switch (record.kind) {
      case 'shift':
        this.#run(gatewayId, record.shift.machineId, null, record.shift.shiftDate);
        return;
      case 'span':
        this.#run(gatewayId, record.span.machineId, record.span.startedAt, null);
        return;
      case 'workSession':
        this.#run(gatewayId, record.session.machineId, record.session.startedAt, null);
        return;
      case 'downtime':
        // It may have begun earlier before a person changed it.
        this.#noteStop.run({ gatewayId, downtimeId: record.downtime.downtimeId });
        this.#run(gatewayId, record.downtime.machineId, record.downtime.startedAt, null);
        return;
      case 'downtimeRemoved':
        this.#noteStop.run({ gatewayId, downtimeId: record.downtimeId });
    }
  }

  notePlan(gatewayId: string, sinceDate: string): void {
    this.#notePlan.run({ gatewayId, sinceDate });
  }

  some(after: string, take: number): readonly ChangedMachine[] {
    return this.#some.all(after, take);
  }

  #run(gatewayId: string, machineId: MachineId, sinceAt: number | null, sinceDate: string | null): void {
    this.#note.run({ gatewayId, machineId, sinceAt, sinceDate });
  }
}
