import type { PublicationReceipt } from '../../../../flows/store-ports.ts';
import { type Connection, transact } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { publicationReceipt } from '../database/schema/variables.ts';

/** The number of receipts kept for a client: message ids that differ by this number share a slot. */
const RECEIPTS_PER_CLIENT = 1_024;
/** A receipt from a later time than now is not old: the computer may have booted with a clock that is behind. */
const RECEIPT_AGE_MS = 3_600_000;
/** More clients than this with new ids each second leave receipts behind for longer than an hour. */
const CLIENTS_PRUNED_AT_ONCE = 200;

/** The publications of variables that are on disk already, for publishers that lost the PUBACK and send again. */
export class PublicationReceipts {
  readonly #connection: Connection;
  readonly #select;
  readonly #replace;
  readonly #nextClient;
  readonly #prune;
  #prunedClient = '';

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#select = connection.prepare<[string, number], { message_id: number; payload_hash: number; at: number }>(
      'SELECT message_id, payload_hash, at FROM publication_receipt WHERE client_id = ? AND slot = ?',
    );
    this.#replace = insertInto(connection, publicationReceipt, { or: 'REPLACE' });
    this.#nextClient = connection
      .prepare<[string], string | null>('SELECT min(client_id) FROM publication_receipt WHERE client_id > ?')
      .pluck();
    this.#prune = connection.prepare('DELETE FROM publication_receipt WHERE client_id = ? AND ? - at > ?');
  }

  /**
   * Notes the publication; false if it is sent again and its points are stored already. To be called within the
   * transaction that stores them.
   */
  admit(receipt: PublicationReceipt, wallMs: number): boolean {
    if (receipt.duplicate && this.#isStored(receipt, wallMs)) return false;
    const { clientId, messageId, payloadHash } = receipt;
    this.#replace({ clientId, slot: messageId % RECEIPTS_PER_CLIENT, messageId, payloadHash, at: wallMs });
    return true;
  }

  /** Deletes the old receipts of some clients, of others each time it is called. */
  prune(wallMs: number): void {
    transact(this.#connection, () => {
      for (let count = 0; count < CLIENTS_PRUNED_AT_ONCE; count += 1) {
        this.#pruneNextClient(wallMs);
        if (this.#prunedClient === '') return;
      }
    });
  }

  #pruneNextClient(wallMs: number): void {
    const next = this.#nextClient.get(this.#prunedClient) ?? null;
    this.#prunedClient = next ?? '';
    if (next !== null) this.#prune.run(next, wallMs, RECEIPT_AGE_MS);
  }

  #isStored(receipt: PublicationReceipt, wallMs: number): boolean {
    const stored = this.#select.get(receipt.clientId, receipt.messageId % RECEIPTS_PER_CLIENT);
    if (stored === undefined) return false;
    const isSame = stored.message_id === receipt.messageId && stored.payload_hash === receipt.payloadHash;
    return isSame && wallMs - stored.at <= RECEIPT_AGE_MS;
  }
}
