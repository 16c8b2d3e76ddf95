import type { OperationReceipt } from '../../../../domain/sync/operation-receipt.ts';
import { DAY_MS } from '../../../../domain/time.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { receivedAct } from '../database/schema/received.ts';

/** A data directory that was restored from an older copy may carry operations out a second time. */
const REMEMBERED_MS = 180 * DAY_MS;
const FORGOTTEN_AT_ONCE = 20;

/** Operations of other gateways that were carried out here. */
export class ReceivedOperations {
  readonly #has;
  readonly #note;
  readonly #forget;

  constructor(connection: Connection) {
    this.#has = connection
      .prepare<[string], number>('SELECT 1 FROM received_act WHERE operation_id = ? LIMIT 1')
      .pluck();
    this.#note = insertInto(connection, receivedAct, { or: 'IGNORE' });
    this.#forget = connection.prepare(
      `DELETE FROM received_act WHERE (gateway_id, operation_id) IN
         (SELECT gateway_id, operation_id FROM received_act WHERE at < ? ORDER BY at LIMIT ${FORGOTTEN_AT_ONCE})`,
    );
  }

  /** The gateway does not matter: a copy of a data directory brings the operation again, perhaps under another name. */
  has(operationId: string): boolean {
    return this.#has.get(operationId) !== undefined;
  }

  /** To be called within a transaction. */
  note({ gatewayId, operationId, at }: Omit<OperationReceipt, 'kind'>): void {
    this.#note({ gatewayId, operationId, at });
    this.#forget.run(at - REMEMBERED_MS);
  }
}
