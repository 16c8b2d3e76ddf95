import type { StoreRecord } from '../../../flows/store-ports.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { brokerRow } from './database/schema/store.ts';

type BrokerRecord = Extract<StoreRecord, { kind: 'brokerPut' | 'brokerDelete' | 'brokerDeletePrefix' }>;

/** Writes the rows of the broker. To be called within a transaction. */
export class BrokerRows {
  readonly #put;
  readonly #delete;
  readonly #deleteFrom;
  readonly #deleteBetween;

  constructor(connection: Connection) {
    this.#put = insertInto(connection, brokerRow, { or: 'REPLACE' });
    const remove = (keys: string) =>
      connection.prepare<string[]>(`DELETE FROM broker_row WHERE table_name = ? AND ${keys}`);
    this.#delete = remove('key = ?');
    this.#deleteFrom = remove('key >= ?');
    this.#deleteBetween = remove('key >= ? AND key < ?');
  }

  write(record: BrokerRecord): void {
    switch (record.kind) {
      case 'brokerPut':
        this.#put({ ...record.row, tableName: record.row.table });
        return;
      case 'brokerDelete':
        this.#delete.run(record.table, record.key);
        return;
      case 'brokerDeletePrefix': {
        const end = prefixEnd(record.prefix);
        if (end === null) this.#deleteFrom.run(record.table, record.prefix);
        else this.#deleteBetween.run(record.table, record.prefix, end);
      }
    }
  }
}

const LAST_CODE_POINT = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** The first text after all that begin with `prefix`, in the order of code points; null if there is no such text. */
function prefixEnd(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1;
  return String.fromCodePoint(...points, next);
}
