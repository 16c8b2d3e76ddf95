import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { TaskView as Task } from '../../domain/warehouse/task-view.ts';
import { now } from '../show/clock.ts';
import { type Machine, type ShownState, shownState, sinceOf } from './shown-state.ts';
import { lateTasks } from './tasks.ts';

/**
 * A machine of which each part changes by itself. Of 200 machines that speak twice a second, a reader of one part of one
 * machine hears of nothing else, and of no change that leaves the part as it was.
 */
export interface LiveMachine {
  readonly machineId: string;
  /** The newest state that the gateway sent. */
  readonly machine: Signal<Machine>;
  readonly name: ReadonlySignal<string>;
  readonly state: ReadonlySignal<ShownState>;
  /** A coil for it should be there already. */
  readonly lateTask: ReadonlySignal<Task | null>;
  /** The start of that state in wall-clock milliseconds. Null: it began before the gateway started. */
  readonly sinceMs: ReadonlySignal<number | null>;
}

export function liveMachine(first: Machine): LiveMachine {
  const machine = signal(first);
  const name = computed(() => machine.value.name);
  const lateTask = computed(() => lateTasks.value.get(machine.value.location ?? '') ?? null);
  const state = computed(() => shownState(machine.value, now.value, lateTask.value));
  const sinceMs = computed(() => sinceOf(machine.value, state.value, lateTask.value));
  return { machineId: first.machineId, machine, name, state, lateTask, sinceMs };
}
