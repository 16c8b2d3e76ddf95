import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { TaskView as Task } from '../../domain/warehouse/task.ts';
import { now } from '../show/clock.ts';
import { type Machine, type ShownState, shownState, sinceOf } from './shown-state.ts';
import { lateTasks } from './tasks.ts';

/**
 * A machine whose parts are separate signals. With 200 machines that send twice a second, a component that reads one
 * part of one machine is rendered again only when that part changes.
 */
export interface LiveMachine {
  readonly machineId: string;
  /** The newest state that the gateway sent. */
  readonly machine: Signal<Machine>;
  readonly name: ReadonlySignal<string>;
  readonly area: ReadonlySignal<string | null>;
  readonly location: ReadonlySignal<string | null>;
  readonly state: ReadonlySignal<ShownState>;
  /** The task of a coil that should already be at the machine; null if no such task exists. */
  readonly lateTask: ReadonlySignal<Task | null>;
  /** The start of that state in wall-clock milliseconds; null if it is not known (`sinceOf`). */
  readonly sinceMs: ReadonlySignal<number | null>;
}

export function liveMachine(first: Machine): LiveMachine {
  const machine = signal(first);
  const name = computed(() => machine.value.name);
  const area = computed(() => machine.value.area);
  const location = computed(() => machine.value.location);
  const lateTask = computed(() => lateTasks.value.get(location.value ?? '') ?? null);
  const state = computed(() => shownState(machine.value, now.value, lateTask.value));
  const sinceMs = computed(() => sinceOf(machine.value, state.value, lateTask.value));
  return { machineId: first.machineId, machine, name, area, location, state, lateTask, sinceMs };
}
