import { signal } from '@preact/signals';
import { keepChoice, keptChoice } from '../app/kept-choice.ts';
import { machineOf } from './machines.ts';

const STORED_AS = 'machines';

/** A machine that stands beside this browser, or an area with all of its machines. */
export type Near = { readonly machineId: string } | { readonly area: string };

/** The machines and areas that this browser is for; empty: all. */
export const near = signal<readonly Near[]>(kept());

function kept(): readonly Near[] {
  try {
    const choices: unknown = JSON.parse(keptChoice(STORED_AS) ?? '[]');
    return Array.isArray(choices) ? choices.filter(isChoice) : [];
  } catch {
    return [];
  }
}

function isChoice(value: unknown): value is Near {
  if (typeof value !== 'object' || value === null) return false;
  return (
    Object.values({ machineId: null, area: null, ...value }).filter((text) => typeof text === 'string').length === 1
  );
}

/** Binds this browser to a machine or an area, or frees it from it. */
export function toggleNear(choice: Near): void {
  near.value = isChosen(choice) ? near.value.filter((one) => !isSame(one, choice)) : [...near.value, choice];
  keepChoice(STORED_AS, JSON.stringify(near.value));
}

export function isChosen(choice: Near): boolean {
  return near.value.some((one) => isSame(one, choice));
}

function isSame(one: Near, other: Near): boolean {
  if ('area' in one) return 'area' in other && one.area === other.area;
  return 'machineId' in other && one.machineId === other.machineId;
}

/** Whether a browser that is bound to machines shows the stops of this one; `asked`: the machine that the address names. */
export function isNear(machineId: string, asked: string | undefined): boolean {
  if (near.value.length === 0 || machineId === asked || isChosen({ machineId })) return true;
  const area = machineOf(machineId)?.area ?? null;
  return area !== null && isChosen({ area });
}
