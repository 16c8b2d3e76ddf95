import { computed, signal } from '@preact/signals';
import type { PlantName } from '../../domain/plant/plant-scope.ts';
import { hasSeveralPlants, shownPlantId, showPlant } from '../api/address.ts';
import { call } from '../api/call.ts';
import { keepChoice, keptChoice } from '../app/kept-choice.ts';

/** The plants that the person is for, at a server with several; null: not known, or the server has one. */
export const ownPlants = signal<readonly PlantName[] | null>(null);

/** The plant that is shown; undefined: the person is not for it, or the server has one. */
export const shownPlant = computed(() => ownPlants.value?.find(({ plantId }) => plantId === shownPlantId()));

/** The name under which the browser keeps the plant that a person chose. */
const keptAs = (person: string): string => `plant of ${person}`;

/** The name of a plant, or its id if the person is not for it. */
export function plantName(id: string): string {
  return ownPlants.value?.find(({ plantId }) => plantId === id)?.name ?? id;
}

/** Whether the person may look at more than one plant. */
export function seesSeveral(): boolean {
  return (ownPlants.value?.length ?? 0) > 1;
}

/** Keeps the plant that a person chose for the next time. */
export function keepPlant(person: string, plantId: string): void {
  keepChoice(keptAs(person), plantId);
}

/**
 * Learns the plants of a person who has signed in, and shows one: the one in the address, else the one that the person
 * chose last, else the first. False: the gateway did not tell them.
 */
export async function learnPlants(person: string): Promise<boolean> {
  if (!hasSeveralPlants) return true;
  const outcome = await call<readonly PlantName[]>('GET', '/plants');
  if (outcome.kind !== 'done') return false;
  const [first] = outcome.value;
  const kept = keptChoice(keptAs(person));
  const chosen = outcome.value.find(({ plantId }) => plantId === kept) ?? first;
  if (chosen !== undefined) showPlant(chosen.plantId);
  ownPlants.value = outcome.value;
  return true;
}

/** Whether the address names a plant that the person is not for. */
export function isForeignPlant(): boolean {
  return ownPlants.value !== null && shownPlant.value === undefined;
}
