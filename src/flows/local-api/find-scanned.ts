import type { PlantView } from '../plant/plant-view.ts';
import type { WarehouseQueries } from '../warehouse/warehouse-ports.ts';
import type { ScanApi, Scanned } from './find-scanned-ports.ts';

export interface FindScannedOptions {
  readonly plant: Pick<PlantView, 'machine' | 'locations' | 'part'>;
  readonly store: Pick<WarehouseQueries, 'coil' | 'task'>;
  /** Prefixes that labels have in front of the id, such as `S` or `COIL:`. */
  readonly prefixes: readonly string[];
}

/** Our own labels hold the address of the page's place: the id is its last part. */
const LABEL_ADDRESS = /^https?:\/\/[^/]+\/(?:machine|coil|location|task)\/([^/?#]+)$/i;

/** Finds the record that a scanned code names. */
export class FindScanned implements ScanApi {
  readonly #options: FindScannedOptions;

  constructor(options: FindScannedOptions) {
    this.#options = options;
  }

  /**
   * Tries the whole code, then the id in an address, then the code without a prefix: an id may begin like a prefix. A
   * scanner with caps lock changes the case, so a code that names nothing finds the one record that differs in case alone.
   */
  async find(code: string): Promise<Scanned> {
    const readings = this.#readings(code.trim());
    for (const id of readings) {
      const found = await this.#record(id);
      if (found !== null) return { ...found, code };
    }
    for (const id of readings) {
      const found = await this.#inAnotherCase(id);
      if (found !== null) return { ...found, code };
    }
    return { kind: 'unknown', code };
  }

  #readings(code: string): readonly string[] {
    const inAddress = LABEL_ADDRESS.exec(code)?.[1];
    const stripped = this.#options.prefixes
      .filter((prefix) => code.startsWith(prefix))
      .map((prefix) => code.slice(prefix.length).trim());
    return [code, ...(inAddress === undefined ? [] : [decoded(inAddress)]), ...stripped].filter((id) => id !== '');
  }

  /** Null if no record or several differ in case alone. */
  async #inAnotherCase(id: string) {
    const spellings = [...new Set([swappedCase(id), id.toUpperCase(), id.toLowerCase()])].filter((one) => one !== id);
    const found = await Promise.all(spellings.map((spelling) => this.#record(spelling)));
    const records = found.filter((record) => record !== null);
    return records.length === 1 ? (records[0] ?? null) : null;
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

function swappedCase(text: string): string {
  return [...text].map((one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())).join('');
}

/** A foreign label may contain a stray `%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
