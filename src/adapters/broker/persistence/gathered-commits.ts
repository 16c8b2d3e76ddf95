import type { StoreRecord } from '../../../flows/store-ports.ts';
import type { Journal } from './journal.ts';

/** Many machines that come back together share commits, because a commit costs more than a row. */
const GATHER_MS = 20;

/** Gathers commits with waiting callers for a moment. */
export class GatheredCommits {
  readonly #journal: Journal;
  #gathered: StoreRecord[] = [];
  #commit: PromiseWithResolvers<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Resolves when the records are on disk; rejects with CodedError `store-unavailable` when they were given up. */
  write(record: StoreRecord): Promise<void> {
    this.#gathered.push(record);
    if (this.#commit === null) {
      this.#commit = Promise.withResolvers();
      this.#timer = setTimeout(() => this.flush(), GATHER_MS);
    }
    return this.#commit.promise;
  }

  /** Hands over the gathered rows at once. */
  flush(): void {
    const commit = this.#commit;
    if (commit === null) return;
    clearTimeout(this.#timer);
    this.#commit = null;
    this.#journal.write(this.#gathered.splice(0)).then(commit.resolve, commit.reject);
  }
}
