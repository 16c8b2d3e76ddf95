import { errorMessage } from '../../../domain/error-text.ts';
import type { BrokerRow, BrokerTable, Store } from '../../../flows/store-ports.ts';
import type { StoredPacket } from './stored-packet.ts';

/** Separates the parts of a row key; MQTT strings cannot hold it (MQTT-1.5.3-2). */
export const KEY_SEPARATOR = '\u0000';

/** Broker persistence's port to the store: rows that are written later, and a way to wait until they are synced. */
export type Journal = Pick<Store, 'record' | 'write' | 'synced'>;

/** A packet as one opaque row value. */
export function encodePacket(packet: StoredPacket): Uint8Array {
  return Buffer.from(JSON.stringify({ ...packet, payload: Buffer.from(packet.payload ?? '').toString('base64') }));
}

/** The packet of a sound row's value. */
export function decodePacket(value: Uint8Array): StoredPacket {
  const stored = JSON.parse(Buffer.from(value).toString('utf8')) as Omit<StoredPacket, 'payload'> & {
    readonly payload: string;
  };
  return { ...stored, payload: Buffer.from(stored.payload, 'base64') };
}

export function putRow(journal: Journal, table: BrokerTable, key: string, value: Uint8Array): void {
  journal.record([{ kind: 'brokerPut', row: { table, key, value } }]);
}

export function deleteRow(journal: Journal, table: BrokerTable, key: string): void {
  journal.record([{ kind: 'brokerDelete', table, key }]);
}

/** The readable rows. A damaged row is deleted and reported, so that the others are served. */
export function soundRows(
  rows: readonly BrokerRow[],
  journal: Journal,
  onDamaged: (row: BrokerRow, reason: string) => void,
): readonly BrokerRow[] {
  return rows.filter((row) => {
    try {
      JSON.parse(Buffer.from(row.value).toString('utf8'));
      return true;
    } catch (error) {
      deleteRow(journal, row.table, row.key);
      onDamaged(row, errorMessage(error));
      return false;
    }
  });
}

/** Rows of one table among all that were restored. */
export function rowsOf(rows: readonly BrokerRow[], table: BrokerTable): readonly BrokerRow[] {
  return rows.filter((row) => row.table === table);
}
