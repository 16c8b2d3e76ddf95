import type { DamagedRecord } from '../../../../flows/store-ports.ts';
import type { Connection } from './connection.ts';
import { insertInto } from './insert-into.ts';
import { damagedRecord } from './schema/store.ts';

/** Beyond this number the oldest are dropped. */
const MAX_DAMAGED_RECORDS = 1_000;

/** Keeps a copy of each record that could not be read, before a new one is written in its place. */
export class DamagedRecords {
  readonly #keep;
  readonly #bound;

  constructor(connection: Connection) {
    this.#keep = insertInto(connection, damagedRecord, { or: 'IGNORE', without: ['id'] });
    this.#bound = connection.prepare<[number]>(
      'DELETE FROM damaged_record WHERE id <= (SELECT max(id) FROM damaged_record) - ?',
    );
  }

  keep({ table, key, content, reason }: DamagedRecord, at: number): void {
    this.#keep({ tableName: table, key, content, reason, foundAt: at });
    this.#bound.run(MAX_DAMAGED_RECORDS);
  }
}

/** The parsed stored text; undefined if it is damaged, which counts as missing. */
export function readableJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
