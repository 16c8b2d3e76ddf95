/** The requests for one record, in order, and whether each was acknowledged: kept by the harness alone. */
export class Ledger<Value> {
  readonly #attempts: { readonly value: Value; isAcknowledged: boolean }[] = [];

  constructor(initial: Value) {
    this.#attempts.push({ value: initial, isAcknowledged: true });
  }

  /** Notes an attempt; gives a function to call once it is acknowledged. */
  attempt(value: Value): () => void {
    const attempt = { value, isAcknowledged: false };
    this.#attempts.push(attempt);
    return () => {
      attempt.isAcknowledged = true;
    };
  }

  /** Removes a refused attempt. */
  refused(): void {
    this.#attempts.pop();
  }

  /** The values that may be there now: the last acknowledged one, and any later one whose answer was lost. */
  get possible(): readonly Value[] {
    const last = this.#attempts.findLastIndex(({ isAcknowledged }) => isAcknowledged);
    return this.#attempts.slice(last).map(({ value }) => value);
  }
}

/** Records that have to arrive: acknowledged ones exactly once, those without an answer at most once. */
export class OnceLedger {
  readonly #acknowledged = new Set<string>();
  readonly #attempted = new Set<string>();

  attempt(id: string): () => void {
    this.#attempted.add(id);
    return () => this.#acknowledged.add(id);
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** A sentence for each record that is lost, doubled or was never sent. */
  faults(found: readonly string[]): readonly string[] {
    const counts = new Map<string, number>();
    for (const id of found) counts.set(id, (counts.get(id) ?? 0) + 1);
    const lost = [...this.#acknowledged].filter((id) => !counts.has(id)).map((id) => `${id} is lost`);
    const doubled = [...counts].filter(([, count]) => count > 1).map(([id, count]) => `${id} came ${count} times`);
    const unknown = [...counts.keys()]
      .filter((id) => !this.#attempted.has(id))
      .map((id) => `${id} was never asked for`);
    return [...lost, ...doubled, ...unknown];
  }
}
