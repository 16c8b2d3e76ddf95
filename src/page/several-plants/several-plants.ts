import { type Signal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Role } from '../../domain/plant/plant.ts';
import { hasSeveralPlants } from '../api/address.ts';
import { onEvent } from '../api/live.ts';

/** A key or a person, who may be for some plants. */
export interface Scoped {
  readonly role: Role;
  readonly plants?: readonly string[];
}

/** The parts of the page that only a server with several plants needs. */
export interface PlantParts {
  /** The plant that is shown, and the way to another. */
  readonly PlantChoice: ComponentType;
  /** Shown instead of the place if the address names a plant that the person is not for. */
  readonly ForeignPlant: ComponentType;
  /** The plants of a key or a person, in a form. `before`: the record that is changed. */
  readonly ScopeField: ComponentType<{
    readonly scope: Signal<readonly string[] | undefined>;
    readonly before: Scoped | undefined;
  }>;
  /** The plants of a key or a person, in a table. */
  readonly ScopeText: ComponentType<{ readonly of: Scoped }>;
}

/** They are in a file of their own; null: not loaded, or the server has one plant. */
export const severalPlants = signal<PlantParts | null>(null);

/** Loads them, and tries it again when the line is open again. */
export function followSeveralPlants(code: () => Promise<PlantParts>): void {
  if (!hasSeveralPlants) return;
  const load = () => {
    if (severalPlants.value !== null) return;
    code().then(
      (parts) => {
        severalPlants.value = parts;
      },
      // The gateway is away: the page says so itself.
      () => undefined,
    );
  };
  load();
  onEvent('reset', load);
}
