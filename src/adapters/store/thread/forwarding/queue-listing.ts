import type { JsonText } from '../../../../flows/warehouse-ports.ts';
import type { ClockEpochs } from '../clock-epochs.ts';
import { jsonTextOf } from '../warehouse/json-text.ts';
import type { QueueRows } from './queue-rows.ts';
import type { RecordJson } from './record-json.ts';
import { correctedAt } from './row-content.ts';

const MAX_ROWS = 1_000;

/** What waits, for people: an array of `{seq, entity, what, at, bytes, record}`, where `record` is as a batch would have it. */
export class QueueListing {
  readonly #rows: QueueRows;
  readonly #epochs: ClockEpochs;
  readonly #records: RecordJson;

  constructor(rows: QueueRows, epochs: ClockEpochs, records: RecordJson) {
    this.#rows = rows;
    this.#epochs = epochs;
    this.#records = records;
  }

  page(after: number, limit: number): JsonText {
    const corrections = this.#epochs.corrections();
    const listed = this.#rows.page(after, Math.min(limit, MAX_ROWS)).map((row) => {
      const { seq, entity, class: what, bytes } = row;
      const at = new Date(correctedAt(row, corrections)).toISOString();
      const shown = JSON.stringify({ seq, entity, what, at, bytes });
      return `${shown.slice(0, -1)},"record":${this.#records.of(row, corrections) ?? 'null'}}`;
    });
    return jsonTextOf(`[${listed.join(',')}]`);
  }
}
