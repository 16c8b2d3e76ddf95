import { entityOf, machineEntity, type QueuedOperation } from '../../../../../domain/sync/operation.ts';
import type { StatusSample } from '../../../../../domain/sync/status-sample.ts';
import type { ForwardRecord } from '../../../../../flows/forward/sync-ports.ts';
import type { Connection } from '../../database/connection.ts';
import { correctedFacts, factKeyText, factRow, factsOf, type HistoryRecord } from '../fact-rows.ts';
import type { OutgoingBatches } from '../outgoing-batches.ts';
import type { SendMemories } from '../send-memories.ts';
import type { DeadLetters } from './dead-letters.ts';
import { isStatusClass } from './queue-classes.ts';
import type { QueueRows } from './queue-rows.ts';
import type { Totals } from './queue-totals.ts';
import type { StatusQueues } from './status-queues.ts';
import type { WaitingPoints } from './waiting-points.ts';

/** The clock epoch in which something is written, and the time. */
export interface WrittenAt {
  readonly epoch: number;
  readonly wallMs: number;
}

interface Parts {
  readonly connection: Connection;
  readonly isOn: boolean;
  readonly rows: QueueRows;
  readonly setAside: DeadLetters;
  readonly memories: SendMemories;
  readonly totals: Totals;
  readonly points: WaitingPoints;
  readonly batches: OutgoingBatches;
  readonly statuses: StatusQueues;
}

/**
 * Queues records to forward, in the transaction that writes them, and removes forwarded ones. Queues nothing if it is
 * off.
 */
export class RecordQueue {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Notes that `record` was written to the history. */
  noteFact(record: HistoryRecord, { epoch, wallMs }: WrittenAt): void {
    const { isOn, rows } = this.#parts;
    if (!isOn) return;
    rows.appendFact(factRow(record, epoch, wallMs));
    // Waiting rows are read when they are sent, and would bring the new numbers before the record that explains them.
    if (record.kind === 'catchUp') for (const key of factsOf(record.catchUp)) rows.moveToEnd(factKeyText(key));
  }

  /**
   * The clock of the boot was corrected: what the server may have with wrong times is sent again. Anomalies and statuses
   * have their time as their name there, and are not.
   */
  noteCorrected(bootId: string, { epoch }: WrittenAt): void {
    const { isOn, rows, connection } = this.#parts;
    if (!isOn) return;
    for (const row of correctedFacts(connection, bootId, epoch)) rows.appendFact(row);
  }

  write(record: ForwardRecord, { epoch }: WrittenAt): void {
    switch (record.kind) {
      case 'act':
        this.#queueOperation(record.queued, epoch);
        return;
      case 'statusSample':
        this.#queueStatus(record.sample, epoch);
        return;
      case 'batchAcknowledged':
        this.#parts.batches.acknowledge(record.digest, record.refused, record.at);
        return;
      case 'batchTooLarge':
        this.#parts.batches.refuseSize(record.digest, record.reason, record.at);
        return;
      case 'streamRestarted':
        this.#parts.batches.restart(record.stream);
        return;
      case 'statusesCondensed':
        this.#parts.statuses.condense(record.before);
        return;
      case 'rowsSent':
        for (const seq of record.seqs) this.#remove(seq);
        return;
      case 'rowSetAside':
        this.#setAside(record.seq, record.reason, record.at);
        return;
      case 'pointsSent':
        this.#parts.points.sent(record.rows);
        return;
      case 'pointsHeld':
        this.#parts.points.held(record.rows);
        return;
      case 'sendBegun':
      case 'profileNamed':
        this.#parts.memories.note(record);
        return;
      case 'setAsideRetried':
        this.#retry(record.id);
        return;
      case 'setAsideDiscarded':
        this.#parts.setAside.take(record.id);
    }
  }

  #queueOperation(queued: QueuedOperation, epoch: number): void {
    if (!this.#parts.isOn) return;
    const entity = entityOf(queued.act);
    this.#parts.rows.appendToEntity({ class: 'act', entity, at: queued.at, epoch, body: JSON.stringify(queued) });
  }

  #queueStatus({ machineId, at, why, json }: StatusSample, epoch: number): void {
    const { isOn, rows, statuses } = this.#parts;
    if (!isOn) return;
    const entity = machineEntity(machineId);
    statuses.queued(entity, rows.appendToEntity({ class: why, entity, at, epoch, body: json }));
  }

  #remove(seq: number): void {
    this.#parts.rows.remove(seq);
    this.#parts.memories.forget(seq);
  }

  #setAside(seq: number, reason: string, at: number): void {
    const { rows, setAside, totals } = this.#parts;
    const row = rows.find(seq);
    if (row === null) return;
    this.#remove(seq);
    totals.countThinned(row.class, setAside.add(row, reason, at));
  }

  #retry(id: string): void {
    const { isOn, rows, setAside, statuses } = this.#parts;
    const row = isOn ? setAside.take(id) : null;
    const seq = row === null ? null : rows.putBack(row);
    if (row !== null && seq !== null && isStatusClass(row.class)) statuses.queued(row.entity, seq);
  }
}
