import { FIRST_PLANT } from '../../../../domain/plant/plant-scope.ts';
import type { Claimer, GatewayStream, NameRecord, Sender } from '../../../../domain/sync/name-claim.ts';
import type { NameRefusal, NameStanding } from '../../../../flows/receive/receive-ports.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { receivedName, receivedRefusal } from '../database/schema/received.ts';
import { StreamShifts } from './stream-shifts.ts';

/** Refused streams remembered of one gateway. A forgotten one is found again. */
const MAX_REFUSALS = 16;

interface Holder {
  readonly stream: string;
  readonly principal: string;
  readonly plantId: string;
}

/** The stream of each gateway that holds its name, the owner, and the refused streams (domain/sync/name-claim.ts). */
export class NameHolders {
  readonly #holder;
  readonly #putHolder;
  readonly #putPlant;
  readonly #putPlace;
  readonly #isRefused;
  readonly #putRefusal;
  readonly #forgetOldest;
  readonly #release;
  readonly #refusals;
  readonly #shifts: StreamShifts;
  readonly #openFacts: OpenFacts;

  constructor(connection: Connection) {
    this.#shifts = new StreamShifts(connection);
    this.#openFacts = new OpenFacts(connection);
    this.#holder = connection.prepare<[string], Holder>(
      `SELECT stream, principal, coalesce(plant_id, '${FIRST_PLANT}') AS plantId
       FROM received_name LEFT JOIN received_gateway USING (gateway_id) WHERE gateway_id = ?`,
    );
    this.#putHolder = insertInto(connection, receivedName, { or: 'REPLACE' });
    this.#putPlant = connection.prepare<Pick<Sender, 'gatewayId' | 'plantId'>>(
      `INSERT INTO received_gateway (gateway_id, plant_id) VALUES (@gatewayId, @plantId)
       ON CONFLICT (gateway_id) DO UPDATE SET plant_id = excluded.plant_id`,
    );
    this.#putPlace = connection.prepare<GatewayStream>(
      `UPDATE received_stream SET place = 1 + (SELECT max(place) FROM received_stream WHERE gateway_id = @gatewayId)
       WHERE gateway_id = @gatewayId AND stream = @stream`,
    );
    this.#isRefused = connection
      .prepare<[string, string], number>('SELECT 1 FROM received_refusal WHERE gateway_id = ? AND stream = ?')
      .pluck();
    this.#putRefusal = insertInto(connection, receivedRefusal, { or: 'IGNORE' });
    this.#forgetOldest = connection.prepare(
      `DELETE FROM received_refusal WHERE gateway_id = @gatewayId AND stream IN
         (SELECT stream FROM received_refusal WHERE gateway_id = @gatewayId
          ORDER BY since DESC, stream LIMIT -1 OFFSET ${MAX_REFUSALS})`,
    );
    this.#release = connection.prepare<[string, string]>(
      'DELETE FROM received_refusal WHERE gateway_id = ? AND stream = ?',
    );
    this.#refusals = connection.prepare<[string], NameRefusal>(
      'SELECT stream, since, principal FROM received_refusal WHERE gateway_id = ? ORDER BY since, stream',
    );
  }

  standing({ gatewayId, stream }: GatewayStream): NameStanding {
    const holder = this.#holder.get(gatewayId);
    const isRefused = this.#isRefused.get(gatewayId, stream) !== undefined;
    const { stream: holding = null, principal: owner = null, plantId = FIRST_PLANT } = holder ?? {};
    return { holder: holding, owner, plantId, isRefused };
  }

  refusals(gatewayId: string): readonly NameRefusal[] {
    return this.#refusals.all(gatewayId);
  }

  /** To be called within a transaction. */
  write(record: NameRecord): void {
    switch (record.kind) {
      case 'nameTaken':
        this.#hold(record);
        this.#putPlant.run({ gatewayId: record.gatewayId, plantId: record.plantId });
        return;
      case 'nameRefused':
        this.#refuse(record, false);
        return;
      case 'nameGranted':
        this.#grant(record);
    }
  }

  #hold({ gatewayId, stream, principal }: Claimer): void {
    const before = this.#holder.get(gatewayId)?.stream ?? stream;
    if (before !== stream) this.#openFacts.end({ gatewayId, stream: before });
    this.#putHolder({ gatewayId, stream, principal });
    this.#putPlace.run({ gatewayId, stream });
  }

  #refuse(refusal: Omit<Extract<NameRecord, { kind: 'nameRefused' }>, 'kind'>, isOverruled: boolean): void {
    this.#putRefusal({ ...refusal, since: refusal.at, overruled: isOverruled ? 1 : 0 });
    this.#forgetOldest.run(refusal);
  }

  #grant({ gatewayId, stream, principal, at }: Extract<NameRecord, { kind: 'nameGranted' }>): void {
    const before = this.#holder.get(gatewayId);
    this.#release.run(gatewayId, stream);
    this.#hold({ gatewayId, stream, principal });
    if (before !== undefined && before.stream !== stream) {
      this.#refuse({ gatewayId, stream: before.stream, principal: before.principal, at }, true);
    }
    this.#shifts.showAnew({ gatewayId, stream });
  }
}

const TABLES = ['span', 'downtime', 'work_session'] as const;

/** Facts of another gateway's machines that were open when its last batch came, and whose end no stream will report. */
export class OpenFacts {
  readonly #end;

  constructor(connection: Connection) {
    this.#end = TABLES.map((table) =>
      connection.prepare<GatewayStream>(
        `UPDATE ${table} SET ended_at = max(started_at, heard.at)
         FROM (SELECT last_contact_at AS at FROM received_stream WHERE gateway_id = @gatewayId AND stream = @stream) AS heard
         WHERE ended_at IS NULL AND machine_id IN
           (SELECT gateway_id || '/' || machine_id FROM received_machine WHERE gateway_id = @gatewayId)`,
      ),
    );
  }

  /**
   * Ends them at the time of the stream's last batch, because another stream follows. The new stream reports the end of
   * the facts that it also knows. To be called within a transaction.
   */
  end(of: GatewayStream): void {
    for (const statement of this.#end) statement.run(of);
  }
}
