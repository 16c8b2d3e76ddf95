import type { Coil } from '../../../../domain/plant/plant.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { coil } from '../database/schema/warehouse.ts';
import { coilJson } from './coil-json.ts';

interface CoilRow {
  readonly slot: number;
  readonly json: string;
}

/** A coil with the number of its row, by which the index knows it. */
export interface NumberedCoil {
  readonly slot: number;
  readonly coil: Coil;
}

/** The rows of coils: as domain objects, and as the JSON that clients are sent. */
export class CoilRows {
  readonly #byId;
  readonly #jsonBySlot;
  readonly #after;
  readonly #idBySlot;
  readonly #count;
  readonly #put;
  readonly #remove;

  constructor(connection: Connection) {
    const select = (rest: string) =>
      connection.prepare<unknown[], CoilRow>(`SELECT id AS slot, json FROM coil ${rest}`);
    this.#byId = select('WHERE coil_id = ?');
    this.#after = select('WHERE coil_id > ? ORDER BY coil_id LIMIT ?');
    this.#jsonBySlot = connection.prepare<[number], string>('SELECT json FROM coil WHERE id = ?').pluck();
    this.#idBySlot = connection.prepare<[number], string>('SELECT coil_id FROM coil WHERE id = ?').pluck();
    this.#count = connection.prepare<[], number>('SELECT count(*) FROM coil').pluck();
    this.#put = insertInto(connection, coil, {
      without: ['id'],
      onConflict: 'ON CONFLICT (coil_id) DO UPDATE SET json = excluded.json',
    });
    this.#remove = connection.prepare('DELETE FROM coil WHERE coil_id = ?');
  }

  find(coilId: string): Coil | null {
    return this.findNumbered(coilId)?.coil ?? null;
  }

  findNumbered(coilId: string): NumberedCoil | null {
    const row = this.#byId.get(coilId);
    return row === undefined ? null : coilOf(row);
  }

  /** The stored row. */
  stored(coilId: string): CoilRow | undefined {
    return this.#byId.get(coilId);
  }

  /** The JSON array of the coils with these numbers, in their order. */
  json(slots: readonly number[]): string {
    return `[${slots.flatMap((slot) => this.#jsonBySlot.get(slot) ?? []).join(',')}]`;
  }

  /** In the order of their ids; `''` begins. */
  after(coilId: string, limit: number): readonly NumberedCoil[] {
    return this.#after.all(coilId, limit).map(coilOf);
  }

  ids(slots: readonly number[]): readonly string[] {
    return slots.flatMap((slot) => this.#idBySlot.get(slot) ?? []);
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  put(coil: Coil): void {
    this.putJson(coil.coilId, coilJson(coil));
  }

  /** Writes a coil as JSON that `coilJson` made. */
  putJson(coilId: string, json: string): void {
    this.#put({ coilId, json });
  }

  /** Changes nothing if there is no such coil. */
  move(coilId: string, location: string): void {
    const coil = this.find(coilId);
    if (coil !== null) this.put({ ...coil, location });
  }

  remove(coilId: string): void {
    this.#remove.run(coilId);
  }
}

function coilOf({ slot, json }: CoilRow): NumberedCoil {
  return { slot, coil: JSON.parse(json) };
}
