import { anyOf, type Fault, foundText } from '../error.ts';
import type { Role } from './plant.ts';
import type { PlantContents } from './plant-entry.ts';

/** The plant of all records of a server that has one plant only, and the first one of a server that has several. */
export const FIRST_PLANT = 'default';

/** In a list of plants: each of them, also those that come later. */
export const ALL_PLANTS = '*';

/** A plant of a central server, with its name for people. */
export interface PlantName {
  readonly plantId: string;
  readonly name: string;
}

/** The plants that the configuration names, and the first one, which is always there. */
export function plantNames(
  configured: readonly { readonly id: string; readonly name: string }[],
): readonly PlantName[] {
  const named = configured.map(({ id, name }) => ({ plantId: id, name }));
  const hasFirst = named.some(({ plantId }) => plantId === FIRST_PLANT);
  return hasFirst ? named : [{ plantId: FIRST_PLANT, name: FIRST_PLANT }, ...named];
}

/** The plants that a key or a person is for. */
export type PlantScope = 'all' | ReadonlySet<string>;

/**
 * The plants of a key or a person. Without a list, administrators are for all plants and everybody else is for the first
 * one. Then a new plant is shown to nobody by accident.
 */
export function plantScope({ role, plants }: { readonly role: Role; readonly plants?: readonly string[] }): PlantScope {
  if (plants === undefined) return role === 'admin' ? 'all' : ONLY_FIRST;
  return plants.includes(ALL_PLANTS) ? 'all' : new Set(plants);
}

const ONLY_FIRST: ReadonlySet<string> = new Set([FIRST_PLANT]);

export function isInScope(scope: PlantScope, plantId: string): boolean {
  return scope === 'all' || scope.has(plantId);
}

/** The plant of a key that stands in one, as those of gateways do; the first one for a key that does not say it. */
export function onePlant(scope: PlantScope = 'all'): string {
  const [first = FIRST_PLANT, ...others] = scope === 'all' ? [] : scope;
  return others.length === 0 ? first : FIRST_PLANT;
}

/** The scope without all plants but one, if one is named. */
export function narrowed(scope: PlantScope, plantId: string | undefined): PlantScope {
  if (plantId === undefined) return scope;
  return new Set(isInScope(scope, plantId) ? [plantId] : []);
}

/** Whether there is a plant that both are for. */
export function haveCommonPlant(one: PlantScope, other: PlantScope): boolean {
  return one === 'all' || other === 'all' || [...one].some((plantId) => other.has(plantId));
}

/** Whether both are for the same plants. */
export function isSameScope(one: PlantScope, other: PlantScope): boolean {
  if (one === 'all' || other === 'all') return one === other;
  return one.size === other.size && [...one].every((plantId) => other.has(plantId));
}

/**
 * The faults of keys and people whose plants are not there, and of keys of gateways for several: a gateway stands in one
 * plant. Without plant ids: the faults in a plant that has no keys and people of its own.
 */
export function scopeFaults(
  named: Pick<PlantContents, 'apiKeys' | 'users'>,
  plantIds: readonly string[] = [FIRST_PLANT],
): readonly Fault[] {
  if (plantIds.length === 0) return strayFaults(named);
  return (['apiKeys', 'users'] as const).flatMap((kind) =>
    named[kind].flatMap(({ role, plants }, place) => {
      const path = `${kind}[${place}].plants`;
      const unknown = plants?.find((plantId) => plantId !== ALL_PLANTS && !plantIds.includes(plantId));
      if (unknown !== undefined) {
        return [{ path, found: foundText(unknown), expected: `${anyOf(plantIds)}, which the configuration names` }];
      }
      if (role !== 'gateway' || plants === undefined) return [];
      if (plants.length === 1 && plants[0] !== ALL_PLANTS) return [];
      return [{ path, found: foundText(plants.join(', ')), expected: 'one plant, for a gateway stands in one' }];
    }),
  );
}

/** A plant besides the first one has no keys and people of its own. */
function strayFaults(named: Pick<PlantContents, 'apiKeys' | 'users'>): readonly Fault[] {
  return (['apiKeys', 'users'] as const).flatMap((kind) =>
    named[kind].length === 0
      ? []
      : [
          {
            path: kind,
            found: `${named[kind].length} records`,
            expected:
              'none in this plant, for keys and people are the whole server\'s: apply them to the plant "default"',
          },
        ],
  );
}
