import { signal } from '@preact/signals';
import { keepChoice, keptChoice } from '../app/kept-choice.ts';

const STORED_AS = 'machines';

/** The machines that stand beside this browser, by their ids; empty: it is for all. */
export const nearMachineIds = signal<readonly string[]>(keptIds());

function keptIds(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(keptChoice(STORED_AS) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id): id is string => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** Binds this browser to the machine, or frees it from it. */
export function toggleNear(machineId: string): void {
  const near = nearMachineIds.value;
  const next = near.includes(machineId) ? near.filter((id) => id !== machineId) : [...near, machineId];
  nearMachineIds.value = next;
  keepChoice(STORED_AS, JSON.stringify(next));
}

/** Whether a browser that is bound to machines shows the stops of this one; `asked`: the machine that the address names. */
export function isNear(machineId: string, asked: string | undefined): boolean {
  const near = nearMachineIds.value;
  return near.length === 0 || near.includes(machineId) || machineId === asked;
}
