import type { Coil } from '../../../../domain/plant/plant.ts';
import type { Seed } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { WireRecord } from '../../protocol.ts';
import { readableJson } from '../database/damaged-records.ts';
import { coilJson } from './coil-json.ts';
import type { CoilRows } from './coil-rows.ts';
import { seededCoil } from './seeding.ts';

/** A row after a seed. `of` is the row that was stored at the preparation, or null if there was none. */
interface Prepared {
  readonly of: string | null;
  readonly json: string;
}

/**
 * The changes that seeds of coils would make. A plant file may bring tens of thousands, in parts, written in one
 * transaction: most of the work is done when the parts arrive, so that the transaction delays later ones less.
 */
export class PreparedSeeds {
  readonly #coils: CoilRows;
  readonly #prepared = new WeakMap<Seed<'coils'>, Prepared>();

  constructor(coils: CoilRows) {
    this.#coils = coils;
  }

  /** Throws the errors of the database. */
  prepare(records: readonly WireRecord[]): void {
    for (const record of records) {
      if (record.kind !== 'warehouseSeed' || record.seed.of !== 'coils') continue;
      const { seed } = record;
      const of = this.#coils.stored(seed.entry.coilId)?.json ?? null;
      this.#prepared.set(seed, { of, json: seededJson(seed, of) });
    }
  }

  /** The row that the seed makes of the stored row, which may have changed since the preparation. */
  row(seed: Seed<'coils'>): string {
    const stored = this.#coils.stored(seed.entry.coilId)?.json ?? null;
    const prepared = this.#prepared.get(seed);
    this.#prepared.delete(seed);
    return prepared?.of === stored ? prepared.json : seededJson(seed, stored);
  }
}

function seededJson(seed: Seed<'coils'>, stored: string | null): string {
  // Only CoilRows writes it. A damaged row is replaced by the seed.
  return coilJson(seededCoil(seed, stored === null ? undefined : (readableJson(stored) as Coil | undefined)));
}
