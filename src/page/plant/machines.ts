import { computed, signal } from '@preact/signals';
import { call } from '../api/call.ts';
import { onEvent } from '../api/live.ts';
import { gatewayNowMs, now } from '../show/clock.ts';
import { type Machine, needsPerson, type ShownMachine, show, worstFirst } from './machine-state.ts';
import { lateTasks } from './tasks.ts';

/** All machines by id, as the gateway said last; null until they were loaded once. */
export const machines = signal<ReadonlyMap<string, Machine> | null>(null);

/** The time for which the shown machines are true: the last change or load, by the gateway's clock. */
export const shownAsOfMs = signal(Date.now());

export const shownMachines = computed<readonly ShownMachine[]>(() =>
  [...(machines.value?.values() ?? [])]
    .map((machine) => show(machine, now.value, lateTasks.value.get(machine.location ?? '') ?? null))
    .sort(worstFirst),
);

export const needing = computed(() => shownMachines.value.filter(({ state }) => needsPerson(state)).length);

export const stopsWaiting = computed(() =>
  [...(machines.value?.values() ?? [])].reduce((sum, { uncategorizedDowntimes }) => sum + uncategorizedDowntimes, 0),
);

/** Changes of one frame are shown at once: 200 machines that speak twice a second are 400 events. */
const waiting = new Map<string, Machine>();
let isFrameAsked = false;

export function followMachines(): void {
  onEvent('reset', () => void loadMachines());
  onEvent('plant', () => void loadMachines());
  onEvent('machine', (data) => {
    const machine = data as Machine;
    waiting.set(machine.machineId, machine);
    if (isFrameAsked) return;
    isFrameAsked = true;
    requestAnimationFrame(takeWaiting);
  });
}

export async function loadMachines(): Promise<void> {
  const outcome = await call<readonly Machine[]>('GET', '/machines');
  if (outcome.kind !== 'done') return;
  machines.value = new Map(outcome.value.map((machine) => [machine.machineId, machine]));
  shownAsOfMs.value = gatewayNowMs();
}

/** The machine's name, or its id while none is known. */
export function machineName(machineId: string): string {
  return machines.value?.get(machineId)?.name ?? machineId;
}

/** Shows what an act gave, without waiting for its event. */
export function noteMachine(machine: Machine): void {
  machines.value = new Map(machines.value).set(machine.machineId, machine);
}

function takeWaiting(): void {
  isFrameAsked = false;
  const next = new Map(machines.value);
  for (const [id, machine] of waiting) if (next.has(id)) next.set(id, machine);
  waiting.clear();
  machines.value = next;
  shownAsOfMs.value = gatewayNowMs();
}
