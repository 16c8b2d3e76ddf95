import type { JournalPosition } from '../../../flows/store-ports.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { journalPosition } from './database/schema/store.ts';

type Position = Omit<JournalPosition, 'kind' | 'run' | 'at'>;

/** Tables in which people, programs, machines and gateways leave something. */
const USED = [
  'plant',
  'audit',
  'coil',
  'task',
  'customer_order',
  'profile',
  'machine_state',
  'received_stream',
  'gateway_group',
];

/** How far this database is a copy of a journal that several nodes share. */
export class JournalCopy {
  readonly #put;
  readonly #position;
  readonly #isUsed;

  constructor(connection: Connection) {
    this.#put = insertInto(connection, journalPosition, { or: 'REPLACE' });
    this.#position = connection.prepare<[], Position>(
      'SELECT history, seq, write_id AS writeId FROM journal_position WHERE id = 1',
    );
    const any = USED.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ');
    this.#isUsed = connection.prepare<[], 0 | 1>(`SELECT ${any}`).pluck();
  }

  /** To be called within the transaction of the write at that position. */
  note({ history, seq, writeId }: JournalPosition): void {
    this.#put({ id: 1, history, seq, writeId });
  }

  position(): Position | null {
    return this.#position.get() ?? null;
  }

  isUsed(): boolean {
    return this.#isUsed.get() === 1;
  }
}
