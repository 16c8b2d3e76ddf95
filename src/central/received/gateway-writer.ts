import type { NameRecord } from '../../domain/sync/name-claim.ts';
import type { FleetRecord, GatewayContact } from '../../flows/receive/receive-ports.ts';
import type { StoreRecord } from '../../flows/store-ports.ts';
import { DATABASE_NOW, MAX_DIFFERENCE_MS } from '../postgres/database-clock.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { storableJson } from '../postgres/upsert-rows.ts';
import type { NameHolders } from './name-holders.ts';

/** Decisions about the gateways that send here. */
export type GatewayRecord = NameRecord | FleetRecord;

const KINDS: ReadonlySet<string> = new Set(
  Object.keys({
    nameTaken: 0,
    nameRefused: 0,
    nameGranted: 0,
    gatewayContacts: 0,
    gatewayPlant: 0,
    gatewayRenamed: 0,
    gatewayRetired: 0,
  } satisfies Record<GatewayRecord['kind'], 0>),
);

export function isGatewayRecord(record: StoreRecord): record is GatewayRecord {
  return KINDS.has(record.kind);
}

/** Of several nodes the one with the later contact counts. One in the future was noted by a clock that was wrong. */
const NOTE_CONTACTS = `
  UPDATE central.gateway SET heard_at = own."heardAt", report = coalesce(own.report, gateway.report),
    plant_id = coalesce(own."plantId", gateway.plant_id)
  FROM jsonb_to_recordset($1::jsonb)
    AS own ("gatewayId" text, stream text, principal text, "heardAt" float8, report text, "plantId" text)
  WHERE gateway.gateway_id = own."gatewayId" AND holder = own.stream AND owner = own.principal
    AND (heard_at IS NULL OR heard_at <= own."heardAt" OR heard_at > ${DATABASE_NOW} + ${MAX_DIFFERENCE_MS})`;
const PLANT = `
  INSERT INTO central.told_plant (gateway_id, digest, json) VALUES ($1, $2, $3)
  ON CONFLICT (gateway_id) DO UPDATE SET digest = excluded.digest, json = excluded.json`;
const RENAME = `
  INSERT INTO central.gateway (gateway_id, name) VALUES ($1, $2) ON CONFLICT (gateway_id) DO UPDATE SET name = excluded.name`;
/** A retired gateway leaves the lists. Retention deletes its history later (central-server.md), which has its plant. */
const RETIRE = [
  `DELETE FROM central.machine_part WHERE machine_id IN
     (SELECT gateway_id || '/' || machine_id FROM central.machine WHERE gateway_id = $1)`,
  ...['stream', 'refusal', 'machine', 'told_plant'].map(
    (table) => `DELETE FROM central.${table} WHERE gateway_id = $1`,
  ),
  'UPDATE central.gateway SET holder = NULL, owner = NULL, name = NULL, heard_at = NULL, report = NULL WHERE gateway_id = $1',
];

/** Keeps decisions about names, and what people and reports say about gateways. */
export class GatewayWriter {
  readonly #postgres: Postgres;
  readonly #names: NameHolders;

  constructor(postgres: Postgres, names: NameHolders) {
    this.#postgres = postgres;
    this.#names = names;
  }

  /** In one transaction. */
  write(records: readonly GatewayRecord[]): Promise<void> {
    return this.#postgres.transact(async () => {
      for (const record of records) await this.#write(record);
    });
  }

  async #write(record: GatewayRecord): Promise<void> {
    switch (record.kind) {
      case 'gatewayContacts':
        await this.#noteContacts(record.contacts);
        return;
      case 'gatewayPlant':
        await this.#postgres.run(PLANT, [record.gatewayId, record.digest, record.json]);
        return;
      case 'gatewayRenamed':
        await this.#postgres.run(RENAME, [record.gatewayId, record.name]);
        return;
      case 'gatewayRetired':
        await this.#names.endFacts(record.gatewayId);
        for (const text of RETIRE) await this.#postgres.run(text, [record.gatewayId]);
        return;
      default:
        await this.#names.write(record);
    }
  }

  async #noteContacts(contacts: readonly GatewayContact[]): Promise<void> {
    const rows = contacts.map(({ report, ...contact }) => {
      return { ...contact, report: report === null ? null : JSON.stringify(report) };
    });
    await this.#postgres.run(NOTE_CONTACTS, [storableJson(rows)]);
  }
}
