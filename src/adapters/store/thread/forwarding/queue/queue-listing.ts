import type { JsonText } from '../../../../../flows/warehouse/warehouse-ports.ts';
import type { ClockEpochs } from '../../clock-epochs.ts';
import { jsonTextOf } from '../../warehouse/json-text.ts';
import type { RecordJson } from '../record-json.ts';
import { type Corrections, correctedAt } from '../row-content.ts';
import type { QueueRow, QueueRows } from './queue-rows.ts';

/** Records on one page of the queue. */
const MAX_ROWS = 1_000;
/** At least one record is listed, at any size. */
const MAX_BYTES = 4_194_304;

/**
 * Waiting records for people, in pages: an array of `{seq, entity, what, at, bytes, record}`, where `record` is the
 * record as in a batch.
 */
export class QueueListing {
  readonly #rows: QueueRows;
  readonly #epochs: ClockEpochs;
  readonly #records: RecordJson;

  constructor(rows: QueueRows, epochs: ClockEpochs, records: RecordJson) {
    this.#rows = rows;
    this.#epochs = epochs;
    this.#records = records;
  }

  /** Empty behind the last. */
  page(after: number, limit: number): JsonText {
    const corrections = this.#epochs.corrections();
    const listed: string[] = [];
    let bytes = 0;
    for (const row of this.#rows.from(after)) {
      bytes += row.bytes;
      const isFull = listed.length >= Math.min(limit, MAX_ROWS) || (listed.length > 0 && bytes > MAX_BYTES);
      if (isFull) break;
      listed.push(this.#listed(row, corrections));
    }
    return jsonTextOf(`[${listed.join(',')}]`);
  }

  #listed(row: QueueRow, corrections: Corrections): string {
    const { seq, entity, class: what, bytes } = row;
    const at = new Date(correctedAt(row, corrections)).toISOString();
    const shown = JSON.stringify({ seq, entity, what, at, bytes });
    return `${shown.slice(0, -1)},"record":${this.#records.of(row, corrections) ?? 'null'}}`;
  }
}
