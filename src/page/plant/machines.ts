import { batch, computed, effect, signal } from '@preact/signals';
import { call } from '../api/call.ts';
import { onEvent } from '../api/live.ts';
import { gatewayNowMs, now } from '../show/clock.ts';
import { type LiveMachine, liveMachine } from './live-machine.ts';
import { type PlacedMachine, placeMachines } from './places.ts';
import { type Machine, needsPerson } from './shown-state.ts';

/** All machines by id; null until they were loaded once. It changes when machines come or go. */
const live = signal<ReadonlyMap<string, LiveMachine> | null>(null);

/** The time for which the shown machines are true: the last change or load, by the gateway's clock. */
export const shownAsOfMs = signal(Date.now());

/** All machines in the order in which Andon shows them. */
export const placedMachines = signal<readonly PlacedMachine[]>([]);

/** The number of machines; null until they were loaded once. */
export const machineCount = computed(() => live.value?.size ?? null);

export const needing = computed(() => countOf(({ state }) => (needsPerson(state.value) ? 1 : 0)));

export const stopsWaiting = computed(() => countOf(({ machine }) => machine.value.uncategorizedDowntimes));

/** The number of machines that answer. */
export const answering = computed(() =>
  countOf(({ machine }) => (machine.value.rules.every(({ rule, holds }) => rule !== 'responding' || holds) ? 1 : 0)),
);

/** The name of the present shift; empty while it is not known. */
export const shiftName = computed(() => live.value?.values().next().value?.machine.value.shift.shiftName ?? '');

/** Changes of one frame are shown at once: 200 machines that speak twice a second are 400 events. */
const waiting = new Map<string, Machine>();
let isFrameAsked = false;

export function followMachines(): void {
  onEvent('reset', () => void loadMachines());
  onEvent('plant', () => void loadMachines());
  onEvent('machine', (data) => {
    const machine = data as Machine | RemovedMachine;
    // The event `plant` reloads the machines, without the removed one.
    if ('removed' in machine) return;
    waiting.set(machine.machineId, machine);
    if (isFrameAsked) return;
    isFrameAsked = true;
    requestAnimationFrame(takeWaiting);
  });
  effect(() => {
    placedMachines.value = placeMachines(placedMachines.peek(), live.value?.values() ?? [], now.value);
  });
}

interface RemovedMachine {
  readonly machineId: string;
  readonly removed: true;
}

export async function loadMachines(): Promise<void> {
  const outcome = await call<readonly Machine[]>('GET', '/machines');
  if (outcome.kind !== 'done') return;
  const before = live.peek();
  batch(() => {
    for (const machine of outcome.value) noteMachine(machine);
    const next = outcome.value.map((machine) => before?.get(machine.machineId) ?? liveMachine(machine));
    if (before === null || next.length !== before.size || next.some(({ machineId }) => !before.has(machineId)))
      live.value = new Map(next.map((one) => [one.machineId, one]));
    shownAsOfMs.value = gatewayNowMs();
  });
}

/** The newest known state of a machine. Undefined: it is not loaded, or does not exist. */
export function machineOf(machineId: string): Machine | undefined {
  return live.value?.get(machineId)?.machine.value;
}

/** The machine's name, or its id while none is known. */
export function machineName(machineId: string): string {
  return live.value?.get(machineId)?.name.value ?? machineId;
}

/** Shows what an act gave, without waiting for its event. */
export function noteMachine(machine: Machine): void {
  const known = live.peek()?.get(machine.machineId);
  if (known !== undefined) known.machine.value = machine;
}

function takeWaiting(): void {
  isFrameAsked = false;
  batch(() => {
    for (const machine of waiting.values()) noteMachine(machine);
    shownAsOfMs.value = gatewayNowMs();
  });
  waiting.clear();
}

function countOf(count: (machine: LiveMachine) => number): number {
  return [...(live.value?.values() ?? [])].reduce((sum, machine) => sum + count(machine), 0);
}
