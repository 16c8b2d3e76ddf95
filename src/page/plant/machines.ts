import { batch, computed, effect, signal } from '@preact/signals';
import { call, type Outcome } from '../api/call.ts';
import { onEvent } from '../api/live.ts';
import { gatewayNowMs, now } from '../show/clock.ts';
import { byName } from './by-name.ts';
import { type LiveMachine, liveMachine } from './live-machine.ts';
import { type PlacedMachine, placeMachines } from './places.ts';
import { resource } from './resource.ts';
import { type Machine, needsPerson } from './shown-state.ts';
import type { Station } from './station-choice.ts';

/** All machines by id; null until they were loaded once. It changes when machines come or go. */
const live = signal<ReadonlyMap<string, LiveMachine> | null>(null);

/** The time for which the shown machines are true: the last change or load, by the gateway's clock. */
export const shownAsOfMs = signal(Date.now());

/** All machines in the order in which Andon shows them. */
export const placedMachines = signal<readonly PlacedMachine[]>([]);

/** All machines as they are now, in the order of the plant. */
export const machinesNow = computed(() => [...(live.value?.values() ?? [])].map(({ machine }) => machine.value));

/** Name and area of every machine, in the order of the plant. It does not change when a machine speaks. */
export const stations = computed(() =>
  [...(live.value?.values() ?? [])].map(
    ({ machineId, name, area, location }): Station => ({
      machineId,
      name: name.value,
      area: area.value,
      location: location.value,
    }),
  ),
);

const stationsByLocation = computed(() => new Map(stations.value.map((station) => [station.location, station])));

/** The machine that stands at a place of coils. */
export function stationAt(location: string): Station | undefined {
  return stationsByLocation.value.get(location);
}

/** The areas of the plant, by name. */
export const plantAreas = computed<readonly string[]>(() => {
  const areas = new Set(stations.value.flatMap(({ area }) => area ?? []));
  return [...areas].sort(byName);
});

/** The number of machines; null until they were loaded once. */
export const machineCount = computed(() => live.value?.size ?? null);

export const needing = computed(() => countOf(({ state }) => (needsPerson(state.value) ? 1 : 0)));

export const stopsWaiting = computed(() => countOf(({ machine }) => machine.value.uncategorizedDowntimes));

/** The number of machines that answer: a machine that was never heard does not. */
export const answering = computed(() => countOf(({ machine }) => (answers(machine.value) ? 1 : 0)));

function answers({ lastStatusAt, rules }: Machine): boolean {
  return lastStatusAt !== null && rules.every(({ rule, holds }) => rule !== 'responding' || holds);
}

/** The present shift, which all machines have; undefined while it is not known. */
export const presentShift = computed(() => live.value?.values().next().value?.machine.value.shift);

/** The name of the present shift; empty while it is not known. */
export const shiftName = computed(() => presentShift.value?.shiftName ?? '');

/** The time at which the present shift ends; null while it is not known. */
export const shiftEnd = computed(() => presentShift.value?.endsAt ?? null);

/** Changes of one frame are shown at once: 200 machines that speak twice a second are 400 events. */
const waiting = new Map<string, MachineChange>();
let isFrameAsked = false;
/** A new plant file brings many machines at once. */
const GATHERING_MS = 200;

/** An event of a machine: the fields that changed. */
type MachineChange = Partial<Machine> & { readonly machineId: string };

export function followMachines(): void {
  onEvent('reset', () => {
    // The waiting changes are older than the state that is loaded now.
    waiting.clear();
    return loadMachines();
  });
  onEvent('plant', () => void loadMachines());
  onEvent('machine', (data) => {
    const change = data as MachineChange | RemovedMachine;
    if ('removed' in change || live.peek()?.has(change.machineId) === false) {
      loadMachinesSoon();
      return;
    }
    waiting.set(change.machineId, { ...waiting.get(change.machineId), ...change });
    askFrame();
  });
  effect(() => {
    placedMachines.value = placeMachines(placedMachines.peek(), live.value?.values() ?? [], now.value);
  });
}

interface RemovedMachine {
  readonly machineId: string;
  readonly removed: true;
}

let coming: ReturnType<typeof setTimeout> | undefined;

/**
 * Loads all machines in a moment, unless they are loaded anyway: by `reset`, once the line is open, or by `plant`, which a
 * person who is signed in gets when machines came or went. The answer for thousands of machines has megabytes.
 */
export function loadMachinesSoon(): void {
  coming ??= setTimeout(loadMachines, GATHERING_MS);
}

const machines = resource<readonly Machine[], MachineChange>({
  ask: () => call('GET', '/machines'),
  show: showLoaded,
  change: noteMachine,
});

/** Loads all machines. */
export function loadMachines(): Promise<Outcome<readonly Machine[]>> {
  clearTimeout(coming);
  coming = undefined;
  return machines.load();
}

function showLoaded(loaded: readonly Machine[]): void {
  const before = live.peek();
  batch(() => {
    for (const machine of loaded) noteMachine(machine);
    const next = loaded.map((machine) => before?.get(machine.machineId) ?? liveMachine(machine));
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

/** Shows what a load or an event gave. */
function noteMachine(change: MachineChange): void {
  const known = live.peek()?.get(change.machineId);
  if (known !== undefined) known.machine.value = { ...known.machine.value, ...change };
}

function askFrame(): void {
  if (isFrameAsked) return;
  isFrameAsked = true;
  requestAnimationFrame(takeWaiting);
}

function takeWaiting(): void {
  isFrameAsked = false;
  batch(() => {
    for (const change of waiting.values()) machines.note(change);
    shownAsOfMs.value = gatewayNowMs();
  });
  waiting.clear();
}

function countOf(count: (machine: LiveMachine) => number): number {
  return [...(live.value?.values() ?? [])].reduce((sum, machine) => sum + count(machine), 0);
}
