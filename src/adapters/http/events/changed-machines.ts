import { LIMITS } from '../limits.ts';

/**
 * Machines that changed since they were last shown. Each is shown at most every 250 ms. Changes of state go first. The
 * machines with only new counters go together at every second tick, because each write to each page delays the machines. A
 * bounded number of them goes at a time, the longest waiting first.
 */
export class ChangedMachines {
  readonly #urgent = new Set<string>();
  readonly #routine = new Set<string>();
  readonly #shownAtMs = new Map<string, number>();
  #routineAtMs = Number.NEGATIVE_INFINITY;

  get isEmpty(): boolean {
    return this.#urgent.size === 0 && this.#routine.size === 0;
  }

  mark(machineId: string, urgent: boolean): void {
    if (this.#urgent.has(machineId)) return;
    if (!urgent) {
      this.#routine.add(machineId);
      return;
    }
    this.#routine.delete(machineId);
    this.#urgent.add(machineId);
  }

  /** The machines whose turn it is; each one given counts as shown. */
  *due(nowMs: number): Iterable<string> {
    for (const machineId of this.#urgent) if (this.#take(this.#urgent, machineId, nowMs)) yield machineId;
    if (nowMs - this.#routineAtMs < LIMITS.routineIntervalMs) return;
    this.#routineAtMs = nowMs;
    let left: number = LIMITS.routineMachinesAtOnce;
    for (const machineId of this.#routine) {
      if (left === 0) return;
      if (!this.#take(this.#routine, machineId, nowMs)) continue;
      left--;
      yield machineId;
    }
  }

  clear(): void {
    this.#urgent.clear();
    this.#routine.clear();
    this.#shownAtMs.clear();
  }

  #take(from: Set<string>, machineId: string, nowMs: number): boolean {
    const shownAtMs = this.#shownAtMs.get(machineId) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - shownAtMs < LIMITS.machineEventIntervalMs) return false;
    from.delete(machineId);
    this.#shownAtMs.set(machineId, nowMs);
    return true;
  }
}
