type Listener = (entity: string) => void;

/**
 * Entities whose record here may differ from the central server's, because it refused a change (D-18). The flows that
 * learn of a refusal note them; the mirror reads them once more.
 */
export class StaleEntities {
  readonly #listeners: Listener[] = [];

  note(entity: string): void {
    for (const listener of this.#listeners) listener(entity);
  }

  onNote(listener: Listener): void {
    this.#listeners.push(listener);
  }
}
