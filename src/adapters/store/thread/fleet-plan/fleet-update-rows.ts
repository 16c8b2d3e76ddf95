import type { RollOut } from '../../../../domain/fleet/update/roll-out.ts';
import type { FleetUpdateRecord } from '../../../../flows/fleet-update/fleet-update-ports.ts';
import type { Answered } from '../../protocol.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { groupUpdate, takenUpdate } from '../database/schema/fleet.ts';

const KINDS: ReadonlySet<string> = new Set(
  Object.keys({ rollOut: 0, updateReleased: 0, rollOutState: 0, takenUpdate: 0 } satisfies Record<
    FleetUpdateRecord['kind'],
    0
  >),
);

/** Whether a record is about updates of gateways. */
export function isFleetUpdateRecord(record: { readonly kind: string }): record is FleetUpdateRecord {
  return KINDS.has(record.kind);
}

interface Row {
  readonly state: RollOut['state'];
  readonly why: string;
  readonly passed: string;
  readonly json: string;
}

/** Updates of gateways in steps. A person and the next step may come at once, so each step is judged by the present row. */
export class FleetUpdateRows {
  readonly #begin;
  readonly #forget;
  readonly #release;
  readonly #change;
  readonly #putTaken;
  readonly #all;
  readonly #releases;
  readonly #released;
  readonly #taken;

  constructor(connection: Connection) {
    const columns = 'state, why, passed, json';
    this.#begin = insertInto(connection, groupUpdate, { or: 'REPLACE' });
    this.#forget = connection.prepare<[]>(
      'DELETE FROM update_release WHERE update_id NOT IN (SELECT update_id FROM group_update)',
    );
    this.#release = connection.prepare<{ updateId: string; gatewayId: string; at: number }>(
      `INSERT OR IGNORE INTO update_release (update_id, gateway_id, at)
       SELECT update_id, @gatewayId, @at FROM group_update WHERE update_id = @updateId AND state = 'running'`,
    );
    this.#change = connection.prepare<{ updateId: string; from: string; to: string; why: string; passed: string }>(
      `UPDATE group_update SET state = @to, why = @why,
         passed = (SELECT json_group_array(value) FROM
           (SELECT value FROM json_each(group_update.passed) UNION SELECT value FROM json_each(@passed)))
       WHERE update_id = @updateId AND state = @from`,
    );
    this.#putTaken = insertInto(connection, takenUpdate, { or: 'REPLACE' });
    this.#all = connection.prepare<[], Row>(`SELECT ${columns} FROM group_update ORDER BY group_id`);
    this.#releases = connection.prepare<[string], { gatewayId: string; at: number }>(
      'SELECT gateway_id AS gatewayId, at FROM update_release WHERE update_id = ? ORDER BY gateway_id',
    );
    this.#released = connection.prepare<[string], Row>(
      `SELECT ${columns} FROM update_release JOIN grouped_gateway USING (gateway_id) JOIN group_update USING (group_id)
       WHERE gateway_id = ? AND group_update.update_id = update_release.update_id AND state <> 'stopped'`,
    );
    this.#taken = connection.prepare<[], string>('SELECT json FROM taken_update WHERE id = 1').pluck();
  }

  /** To be called within a transaction. */
  write(record: FleetUpdateRecord): void {
    switch (record.kind) {
      case 'rollOut': {
        const { state, why, passed, ...rest } = record.rollOut;
        const { groupId, updateId } = rest;
        this.#begin({ groupId, updateId, state, why, passed: JSON.stringify(passed), json: JSON.stringify(rest) });
        this.#forget.run();
        return;
      }
      case 'updateReleased': {
        const { updateId, at } = record;
        for (const gatewayId of record.gatewayIds) this.#release.run({ updateId, gatewayId, at });
        return;
      }
      case 'rollOutState': {
        const { updateId, from, to, why, passed } = record;
        this.#change.run({ updateId, from, to, why, passed: JSON.stringify(passed) });
        return;
      }
      case 'takenUpdate':
        this.#putTaken({ id: 1, json: record.json });
    }
  }

  rollOuts(): readonly RollOut[] {
    return this.#all.all().map(rollOutOf);
  }

  releases(updateId: string): Answered<'releases'> {
    return this.#releases.all(updateId);
  }

  released(gatewayId: string): RollOut | null {
    const row = this.#released.get(gatewayId);
    return row === undefined ? null : rollOutOf(row);
  }

  taken(): string | null {
    return this.#taken.get() ?? null;
  }
}

/** As `write` wrote it. */
function rollOutOf({ state, why, passed, json }: Row): RollOut {
  return { ...JSON.parse(json), state, why, passed: JSON.parse(passed) };
}
