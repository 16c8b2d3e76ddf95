import type { Coil } from '../../../../domain/plant.ts';
import type { Connection } from '../connection.ts';

interface CoilRow extends Omit<Coil, 'isComplete' | 'isStarted'> {
  readonly slot: number;
  readonly isComplete: number;
  readonly isStarted: number;
}

/** A coil with the number of its row, by which the index knows it. */
export interface NumberedCoil {
  readonly slot: number;
  readonly coil: Coil;
}

/** In the order of the interface's table, which is that of a coil's JSON. */
const COLUMN_OF: { readonly [Field in keyof Coil]: string } = {
  coilId: 'coil_id',
  materialCode: 'material_code',
  description: 'description',
  materialType: 'material_type',
  color: 'color',
  gauge: 'gauge',
  widthIn: 'width_in',
  lengthStartFt: 'length_start_ft',
  lengthRemainingFt: 'length_remaining_ft',
  currentWeightLbs: 'current_weight_lbs',
  isComplete: 'is_complete',
  isStarted: 'is_started',
  location: 'location',
  dateIn: 'date_in',
  vendorName: 'vendor_name',
  heatNumber: 'heat_number',
  purchaseOrder: 'purchase_order',
};

const FIELDS = Object.keys(COLUMN_OF);
const COLUMNS = Object.values(COLUMN_OF);
const SELECTED = Object.entries(COLUMN_OF)
  .map(([field, column]) => `${column} AS ${field}`)
  .join(', ');

/** The rows of coils as domain objects. */
export class CoilRows {
  readonly #byId;
  readonly #bySlot;
  readonly #after;
  readonly #at;
  readonly #count;
  readonly #put;
  readonly #move;
  readonly #remove;

  constructor(connection: Connection) {
    const select = (rest: string) =>
      connection.prepare<unknown[], CoilRow>(`SELECT id AS slot, ${SELECTED} FROM coil ${rest}`);
    this.#byId = select('WHERE coil_id = ?');
    this.#bySlot = select('WHERE id = ?');
    this.#after = select('WHERE coil_id > ? ORDER BY coil_id LIMIT ?');
    this.#at = connection
      .prepare<[string, number], string>('SELECT coil_id FROM coil WHERE location = ? ORDER BY coil_id LIMIT ?')
      .pluck();
    this.#count = connection.prepare<[], number>('SELECT count(*) FROM coil').pluck();
    this.#put = connection.prepare(
      `INSERT INTO coil (${COLUMNS.join(', ')}) VALUES (${FIELDS.map((field) => `:${field}`).join(', ')})
       ON CONFLICT (coil_id) DO UPDATE SET ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    );
    this.#move = connection.prepare('UPDATE coil SET location = ? WHERE coil_id = ?');
    this.#remove = connection.prepare('DELETE FROM coil WHERE coil_id = ?');
  }

  find(coilId: string): Coil | null {
    const row = this.#byId.get(coilId);
    return row === undefined ? null : coilOf(row);
  }

  findNumbered(coilId: string): NumberedCoil | null {
    const row = this.#byId.get(coilId);
    return row === undefined ? null : numbered(row);
  }

  /** Those with these numbers, in their order. */
  at(slots: readonly number[]): readonly Coil[] {
    return slots.flatMap((slot) => this.#bySlot.get(slot) ?? []).map(coilOf);
  }

  /** In the order of their ids; `''` begins. */
  after(coilId: string, limit: number): readonly NumberedCoil[] {
    return this.#after.all(coilId, limit).map(numbered);
  }

  idsAt(location: string, limit: number): readonly string[] {
    return this.#at.all(location, limit);
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  put(coil: Coil): void {
    this.#put.run({ ...coil, isComplete: Number(coil.isComplete), isStarted: Number(coil.isStarted) });
  }

  move(coilId: string, location: string): void {
    this.#move.run(location, coilId);
  }

  remove(coilId: string): void {
    this.#remove.run(coilId);
  }
}

function coilOf({ slot, ...row }: CoilRow): Coil {
  return { ...row, isComplete: row.isComplete === 1, isStarted: row.isStarted === 1 };
}

function numbered(row: CoilRow): NumberedCoil {
  return { slot: row.slot, coil: coilOf(row) };
}
