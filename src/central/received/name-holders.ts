import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import type { Claimer, GatewayStream, NameRecord } from '../../domain/sync/name-claim.ts';
import type { NameRefusal } from '../../flows/receive/receive-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { StreamTotals } from './stream-totals.ts';

/** Refused streams remembered of one gateway. A forgotten one is found again. */
const MAX_REFUSALS = 16;

const HOLDER = 'SELECT holder AS stream, owner AS principal FROM central.gateway WHERE gateway_id = $1';
const HOLD = `
  INSERT INTO central.gateway AS known (gateway_id, holder, owner, plant_id)
  VALUES ($1, $2, $3, coalesce($4, '${FIRST_PLANT}'))
  ON CONFLICT (gateway_id) DO UPDATE
    SET holder = excluded.holder, owner = excluded.owner, plant_id = coalesce($4, known.plant_id)`;
const PUT_LAST = `
  UPDATE central.stream SET place = 1 + (SELECT max(place) FROM central.stream WHERE gateway_id = $1)
  WHERE gateway_id = $1 AND stream = $2`;
const REFUSE = `
  INSERT INTO central.refusal (gateway_id, stream, since, principal, overruled) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`;
const FORGET_OLDEST = `
  DELETE FROM central.refusal WHERE gateway_id = $1 AND stream IN
    (SELECT stream FROM central.refusal WHERE gateway_id = $1 ORDER BY since DESC, stream OFFSET ${MAX_REFUSALS})`;
const RELEASE = 'DELETE FROM central.refusal WHERE gateway_id = $1 AND stream = $2';
const REFUSALS = `
  SELECT gateway_id AS "gatewayId", stream, since, principal FROM central.refusal
  ORDER BY since, stream`;
const END_OPEN_FACTS = ['span', 'downtime', 'work_session'].map(
  (table) => `
    UPDATE central.${table} SET ended_at = greatest(started_at, heard.at)
    FROM (SELECT last_contact_at AS at FROM central.stream WHERE gateway_id = $1 AND stream = $2) AS heard
    WHERE ended_at IS NULL AND machine_id IN
      (SELECT gateway_id || '/' || machine_id FROM central.machine WHERE gateway_id = $1)`,
);

/** The stream of each gateway that holds its name, the owner, and the refused streams (domain/sync/name-claim.ts). */
export class NameHolders {
  readonly #postgres: Postgres;
  readonly #totals: StreamTotals;

  constructor(postgres: Postgres, totals: StreamTotals) {
    this.#postgres = postgres;
    this.#totals = totals;
  }

  /** By gateway. */
  async refusals(): Promise<ReadonlyMap<string, readonly NameRefusal[]>> {
    const rows = await this.#postgres.query<NameRefusal & { gatewayId: string }>(REFUSALS);
    const groups = Map.groupBy(rows, ({ gatewayId }) => gatewayId);
    return new Map([...groups].map(([id, refusals]) => [id, refusals.map(({ gatewayId: _, ...refusal }) => refusal)]));
  }

  /** The stream that holds the name was the last: its open facts end. */
  async endFacts(gatewayId: string): Promise<void> {
    const holder = await this.#holder(gatewayId);
    if (holder !== null) await this.#endOpenFacts({ gatewayId, stream: holder.stream });
  }

  write(record: NameRecord): Promise<void> {
    switch (record.kind) {
      case 'nameTaken':
        return this.#hold(record, record.plantId);
      case 'nameRefused':
        return this.#refuse(record, false);
      case 'nameGranted':
        return this.#grant(record);
    }
  }

  /** `plantId` null: as before. */
  async #hold({ gatewayId, stream, principal }: Claimer, plantId: string | null): Promise<void> {
    const before = (await this.#holder(gatewayId))?.stream ?? stream;
    if (before !== stream) await this.#endOpenFacts({ gatewayId, stream: before });
    await this.#postgres.run(HOLD, [gatewayId, stream, principal, plantId]);
    await this.#postgres.run(PUT_LAST, [gatewayId, stream]);
  }

  async #refuse({ gatewayId, stream, principal, at }: Claimer & { at: number }, isOverruled: boolean): Promise<void> {
    await this.#postgres.run(REFUSE, [gatewayId, stream, at, principal, isOverruled]);
    await this.#postgres.run(FORGET_OLDEST, [gatewayId]);
  }

  async #grant(record: Extract<NameRecord, { kind: 'nameGranted' }>): Promise<void> {
    const { gatewayId, stream, at } = record;
    const before = await this.#holder(gatewayId);
    await this.#postgres.run(RELEASE, [gatewayId, stream]);
    await this.#hold(record, null);
    if (before !== null && before.stream !== stream) await this.#refuse({ gatewayId, ...before, at }, true);
    await this.#totals.showAnew({ gatewayId, stream });
  }

  async #holder(gatewayId: string): Promise<Omit<Claimer, 'gatewayId'> | null> {
    const [row] = await this.#postgres.query<{ stream: string | null; principal: string | null }>(HOLDER, [gatewayId]);
    const { stream = null, principal = null } = row ?? {};
    return stream === null || principal === null ? null : { stream, principal };
  }

  /**
   * Ends facts that were open when the stream's last batch came, and whose end no stream will report, because another
   * stream follows. The new stream reports the end of the facts that it also knows.
   */
  async #endOpenFacts({ gatewayId, stream }: GatewayStream): Promise<void> {
    for (const text of END_OPEN_FACTS) await this.#postgres.run(text, [gatewayId, stream]);
  }
}
