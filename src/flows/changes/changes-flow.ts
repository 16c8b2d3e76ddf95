import { foundText, invalidInput } from '../../domain/error.ts';
import { isWarehouseLicensed } from '../../domain/warehouse/task.ts';
import type { Plant } from '../plant/plant.ts';

import type { ChangePoint, ChangeQueries, ChangesView } from './change-ports.ts';

const CURSOR = /^([0-9a-f]{0,32})\.([0-9a-z]{1,11})$/;
const RADIX = 36;

/** Tells programs which tasks, coils, orders and profiles changed, so that they need not poll lists. */
export class ChangesFlow {
  readonly #ports: { readonly store: ChangeQueries; readonly plant: Pick<Plant, 'machines'> };

  constructor(ports: { readonly store: ChangeQueries; readonly plant: Pick<Plant, 'machines'> }) {
    this.#ports = ports;
  }

  /** Without a cursor it begins now. Rejects with `invalid-input` for a text that no gateway made. */
  async read(after: string | null, take: number): Promise<ChangesView> {
    const { store, plant } = this.#ports;
    const licensed = plant.machines().filter(isWarehouseLicensed);
    const machineIds = licensed.map(({ machineId }) => machineId);
    const page = await store.changes(after === null ? null : pointOf(after), take, machineIds);
    return {
      cursor: `${page.next.epoch}.${page.next.number.toString(RADIX)}`,
      more: page.more,
      ...(page.isReset && { reset: true }),
      changes: page.changes.map(({ kind, id, isRemoved, at }) => {
        return { kind, id, change: isRemoved ? 'remove' : 'upsert', at: new Date(at).toISOString() };
      }),
    };
  }
}

function pointOf(text: string): ChangePoint {
  const [, epoch, number] = CURSOR.exec(text) ?? [];
  if (epoch !== undefined && number !== undefined) return { epoch, number: Number.parseInt(number, RADIX) };
  throw invalidInput([{ path: 'after', found: foundText(text), expected: 'the cursor of an earlier answer' }]);
}
