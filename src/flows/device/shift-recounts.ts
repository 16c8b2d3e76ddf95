import { errorMessage } from '../../domain/error-text.ts';
import type { MachineState } from '../../domain/machine/machine-state.ts';
import type { Now } from '../../domain/time.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { LiveMachine } from './live-machine.ts';
import type { MachineRegistry } from './machine-registry.ts';

const RETRY_MS = 1_000;

interface RecountOptions {
  readonly registry: MachineRegistry;
  readonly store: Pick<Store, 'shifts' | 'synced'>;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/** Gives machines that count from zero since a correction of the clock the totals that the store has (D-04). */
export class ShiftRecounts {
  readonly #options: RecountOptions;
  /** The recount for which the store is asked, and the time, on the monotonic clock, from which it is asked again. */
  readonly #asked = new WeakMap<LiveMachine, { readonly recount: number; againAtMs: number }>();

  constructor(options: RecountOptions) {
    this.#options = options;
  }

  /** Asks the store if the machine is under a recount and the store was not asked. */
  look(live: LiveMachine, now: Now): void {
    const { recount } = live.state;
    const asked = this.#asked.get(live);
    if (recount === null || (asked?.recount === recount && now.monotonicMs < asked.againAtMs)) return;
    const question = { recount, againAtMs: Number.POSITIVE_INFINITY };
    this.#asked.set(live, question);
    this.#recount(live, recount).then(
      () => {
        question.againAtMs = 0;
      },
      (error) => {
        const { incidents, clock } = this.#options;
        incidents.report({ kind: 'store', subject: live.machine.machineId, detail: errorMessage(error) });
        question.againAtMs = clock.now().monotonicMs + RETRY_MS;
      },
    );
  }

  async #recount(live: LiveMachine, recount: number): Promise<void> {
    const { registry, store, clock } = this.#options;
    const { machineId } = live.machine;
    // The store may have been without its disk, and must have moved the production by now.
    await store.synced();
    const dates = datesOf(live.state);
    const shifts = (await Promise.all(dates.map((date) => store.shifts(machineId, date)))).flat();
    const isComplete = datesOf(live.state).every((date) => dates.includes(date));
    if (!isComplete || registry.get(machineId) !== live) return;
    registry.apply(live, { type: 'shiftsRecounted', recount, shifts }, clock.now(), 'all');
  }
}

function datesOf({ shift, earlierShifts }: MachineState): readonly string[] {
  return [...new Set([shift, ...earlierShifts].map(({ period }) => period.shiftDate))];
}
