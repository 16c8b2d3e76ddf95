import { isoTime } from '../../domain/time.ts';
import type { LiveChange } from '../local-api/local-api-ports.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';

/** Changes are told together after this time, because an ERP may add thousands at once. */
const TOGETHER_MS = 500;
/** Pages ask for their list again each time, which takes the store 2 s of sliced work with 50,000 orders. */
const APART_MS = 5_000;

/** Announces that orders changed (contract.md, `/events`). */
export class OrderChanges {
  readonly #clock: Clock;
  readonly #listeners: ((change: LiveChange) => void)[] = [];
  #timer: NodeJS.Timeout | null = null;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(store: Pick<Store, 'onOrders'>, clock: Clock) {
    this.#clock = clock;
    store.onOrders(() => this.note());
  }

  onChange(listener: (change: LiveChange) => void): void {
    this.#listeners.push(listener);
  }

  /** An order was added, replaced or removed, here or by the central server. */
  note(): void {
    const waitMs = Math.max(TOGETHER_MS, this.#toldMs + APART_MS - this.#clock.now().monotonicMs);
    this.#timer ??= setTimeout(() => this.#tell(), waitMs).unref();
  }

  #tell(): void {
    this.#timer = null;
    const { monotonicMs, wallMs } = this.#clock.now();
    this.#toldMs = monotonicMs;
    const changedAt = isoTime(wallMs);
    for (const listener of this.#listeners) listener({ event: 'order', key: 'orders', record: { changedAt } });
  }
}
