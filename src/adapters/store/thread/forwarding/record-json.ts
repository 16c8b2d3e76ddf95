import type { FactReader } from './fact-reader.ts';
import { isStatusClass } from './queue/queue-classes.ts';
import type { QueueRow } from './queue/queue-rows.ts';
import { type Corrections, correctedAt, queuedOperation, statusSample } from './row-content.ts';

/** Rows of the queue as the records of a batch: BatchRecord (domain/sync/batch.ts) as JSON. */
export class RecordJson {
  readonly #facts: FactReader;

  constructor(facts: FactReader) {
    this.#facts = facts;
  }

  /** Null: its content is gone. */
  of(row: QueueRow, corrections: Corrections): string | null {
    const { seq, class: name } = row;
    if (name === 'act') return `{"seq":${seq},"kind":"act","queued":${operationJson(row, corrections)}}`;
    if (isStatusClass(name)) {
      return `{"seq":${seq},"kind":"status","sample":${JSON.stringify(statusSample(row, name, corrections))}}`;
    }
    const fields = this.#facts.read(name, row, corrections);
    return fields === null ? null : `{"seq":${seq},"kind":"${name}",${fields}}`;
  }
}

/** Parsed and written again only if its time has changed, because an order may be large. */
function operationJson(row: QueueRow, corrections: Corrections): string {
  if (row.body !== null && correctedAt(row, corrections) === row.at) return row.body;
  return JSON.stringify(queuedOperation(row, corrections));
}
