import { FIRST_PLANT } from '../../../../domain/plant/plant-scope.ts';
import type { NameRecord } from '../../../../domain/sync/name-claim.ts';
import type { OperationReceipt } from '../../../../domain/sync/operation-receipt.ts';
import type { FleetRecord, GatewayContact } from '../../../../flows/receive/receive-ports.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { receivedPlant } from '../database/schema/fleet-production.ts';
import { NameHolders, OpenFacts } from './name-holders.ts';
import { ReceivedOperations } from './received-operations.ts';

export type ReceivedRecord = NameRecord | FleetRecord | OperationReceipt;

const KINDS: ReadonlySet<string> = new Set(
  Object.keys({
    receivedOperation: 0,
    nameTaken: 0,
    nameRefused: 0,
    nameGranted: 0,
    gatewayContacts: 0,
    gatewayPlant: 0,
    gatewayRenamed: 0,
    gatewayRetired: 0,
  } satisfies Record<ReceivedRecord['kind'], 0>),
);

export function isReceivedRecord(record: { readonly kind: string }): record is ReceivedRecord {
  return KINDS.has(record.kind);
}

type ContactRow = Omit<GatewayContact, 'report'> & { readonly report: string | null };
type Of = { readonly gatewayId: string };

/** A retired gateway leaves these tables. Retention deletes its history later (central-server.md). */
const RETIRED_TABLES = ['received_stream', 'received_name', 'received_refusal', 'received_machine', 'received_plant'];

/** Keeps decisions about names, receipts of operations, and the gateways that send here. To be called within a transaction. */
export class ReceivedWriter {
  readonly #names: NameHolders;
  readonly #operations: ReceivedOperations;
  readonly #openFacts: OpenFacts;
  readonly #contact;
  readonly #plant;
  readonly #rename;
  readonly #holder;
  readonly #retire;
  #onRetired: () => void = () => undefined;

  constructor(connection: Connection) {
    this.#names = new NameHolders(connection);
    this.#operations = new ReceivedOperations(connection);
    this.#openFacts = new OpenFacts(connection);
    this.#contact = connection.prepare<ContactRow>(
      `INSERT INTO received_gateway (gateway_id, heard_at, report, plant_id)
       SELECT gateway_id, @heardAt, @report, coalesce(@plantId, '${FIRST_PLANT}') FROM received_name
       WHERE gateway_id = @gatewayId AND stream = @stream AND principal = @principal
       ON CONFLICT (gateway_id) DO UPDATE
         SET heard_at = excluded.heard_at, report = coalesce(excluded.report, report), plant_id = coalesce(@plantId, plant_id)`,
    );
    this.#plant = insertInto(connection, receivedPlant, { or: 'REPLACE' });
    this.#rename = connection.prepare<Of & { readonly name: string | null }>(
      `INSERT INTO received_gateway (gateway_id, name) VALUES (@gatewayId, @name)
       ON CONFLICT (gateway_id) DO UPDATE SET name = excluded.name`,
    );
    this.#holder = connection
      .prepare<[string], string>('SELECT stream FROM received_name WHERE gateway_id = ?')
      .pluck();
    this.#retire = [
      `DELETE FROM machine_part WHERE machine_id IN
         (SELECT gateway_id || '/' || machine_id FROM received_machine WHERE gateway_id = @gatewayId)`,
      ...RETIRED_TABLES.map((table) => `DELETE FROM ${table} WHERE gateway_id = @gatewayId`),
      'UPDATE received_gateway SET name = NULL, heard_at = NULL, report = NULL WHERE gateway_id = @gatewayId',
    ].map((sql) => connection.prepare<Of>(sql));
  }

  /** A retired gateway may come again as a new one: nothing may be remembered of it. */
  onRetired(listener: () => void): void {
    this.#onRetired = listener;
  }

  write(record: ReceivedRecord): void {
    switch (record.kind) {
      case 'receivedOperation':
        this.#operations.note(record);
        return;
      case 'nameTaken':
      case 'nameRefused':
      case 'nameGranted':
        this.#names.write(record);
        return;
      case 'gatewayContacts':
        for (const { report, ...contact } of record.contacts) {
          this.#contact.run({ ...contact, report: report === null ? null : JSON.stringify(report) });
        }
        return;
      case 'gatewayPlant':
        this.#plant({ gatewayId: record.gatewayId, digest: record.digest, json: record.json });
        return;
      case 'gatewayRenamed':
        this.#rename.run({ gatewayId: record.gatewayId, name: record.name });
        return;
      case 'gatewayRetired':
        this.#retireGateway(record.gatewayId);
    }
  }

  #retireGateway(gatewayId: string): void {
    const stream = this.#holder.get(gatewayId);
    if (stream !== undefined) this.#openFacts.end({ gatewayId, stream });
    for (const statement of this.#retire) statement.run({ gatewayId });
    this.#onRetired();
  }
}
