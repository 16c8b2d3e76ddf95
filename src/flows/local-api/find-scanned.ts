import type { Plant } from '../plant/plant.ts';
import type { WarehousePlantQueries, WarehouseQueries } from '../warehouse/warehouse-ports.ts';
import type { Scanned } from './local-api-ports.ts';

export interface FindScannedOptions {
  readonly plant: Pick<Plant, 'machine' | 'machines' | 'locations' | 'part' | 'parts'>;
  readonly store: Pick<WarehouseQueries, 'coil' | 'task'> & Pick<WarehousePlantQueries, 'idsInAnyCase'>;
  /** Prefixes that labels have in front of the id, such as `S` or `COIL:`. */
  readonly prefixes: readonly string[];
}

/** Our own labels hold the address of the page's place, with its plant if the server has several: the id is its last part. */
const LABEL_ADDRESS = /^https?:\/\/[^/]+\/(?:plant\/[^/]+\/)?(?:machine|coil|location|task)\/([^/?#]+)$/;
const LABEL_ADDRESS_IN_ANY_CASE = new RegExp(LABEL_ADDRESS, 'i');

/** At most so many ids are told for a code that fits several. */
const MAX_SIMILAR = 5;

/** Finds the record that a scanned code names. */
export class FindScanned {
  readonly #options: FindScannedOptions;

  constructor(options: FindScannedOptions) {
    this.#options = options;
  }

  /**
   * The id that equals the code comes first. A scanner follows the caps lock of its computer, so without one the code
   * names the id that differs from it in case alone; nothing is chosen if there are several (D-61).
   */
  async find(code: string): Promise<Scanned> {
    for (const id of this.#readings(code.trim(), false)) {
      const found = await this.#record(id);
      if (found !== null) return { ...found, code };
    }
    for (const id of this.#readings(code.trim(), true)) {
      const similar = await this.#idsInAnyCase(id);
      const [only] = similar;
      if (only === undefined) continue;
      const found = similar.length === 1 ? await this.#record(only) : null;
      return found === null ? { kind: 'unknown', code, similar } : { ...found, code };
    }
    return { kind: 'unknown', code, similar: [] };
  }

  /** The whole code, then the id in an address, then the code without a prefix: an id may begin like a prefix. */
  #readings(code: string, inAnyCase: boolean): readonly string[] {
    const inAddress = (inAnyCase ? LABEL_ADDRESS_IN_ANY_CASE : LABEL_ADDRESS).exec(code)?.[1];
    const isSame = inAnyCase ? isSameInAnyCase : (one: string, other: string) => one === other;
    const stripped = this.#options.prefixes
      .filter((prefix) => isSame(code.slice(0, prefix.length), prefix))
      .map((prefix) => code.slice(prefix.length).trim());
    return [code, ...(inAddress === undefined ? [] : [decoded(inAddress)]), ...stripped].filter((id) => id !== '');
  }

  /** A machine and its location may have the same id. */
  async #idsInAnyCase(id: string): Promise<readonly string[]> {
    const { plant, store } = this.#options;
    const stored = await store.idsInAnyCase(id, MAX_SIMILAR);
    const others = [
      ...plant.machines().map(({ machineId }) => machineId),
      ...plant.locations().map(({ code }) => code),
      ...plant.parts().map(({ partId }) => partId),
    ];
    const similar = [...stored, ...others.filter((other) => isSameInAnyCase(other, id))];
    return [...new Set(similar)].slice(0, MAX_SIMILAR);
  }

  async #record(id: string) {
    const { plant, store } = this.#options;
    const machine = plant.machine(id);
    if (machine !== undefined) return { kind: 'machine', id, name: machine.name } as const;
    const [coil, task] = await Promise.all([store.coil(id), store.task(id)]);
    if (coil !== null) return { kind: 'coil', id, name: coil.description } as const;
    const location = plant.locations().find(({ code }) => code === id);
    if (location !== undefined) return { kind: 'location', id, name: location.name } as const;
    if (task !== null) return { kind: 'task', id, name: null } as const;
    const part = plant.part(id);
    return part === undefined ? null : ({ kind: 'part', id, name: part.partName } as const);
  }
}

function isSameInAnyCase(one: string, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase();
}

/** A foreign label may contain a stray `%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
