import { hash } from 'node:crypto';

/** A page on which every record was equal to the one here, with the numbers of their rows. */
interface KnownPage {
  readonly digest: string;
  readonly records: number;
  readonly slots: Uint32Array;
}

/** Remembers pages without changes, by their place in a reading, so that they are not parsed again. */
export class PageMemory {
  readonly #pages = new Map<number, KnownPage>();
  #changes = -1;

  /** `changes` counts the changes that were made here. After a change the remembered pages are not valid any more. */
  checkChanges(changes: number): void {
    if (changes !== this.#changes) this.#pages.clear();
    this.#changes = changes;
  }

  find(place: number): KnownPage | undefined {
    return this.#pages.get(place);
  }

  keep(place: number, page: KnownPage | null): void {
    if (page === null) this.#pages.delete(place);
    else this.#pages.set(place, page);
  }
}

export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64');
}
