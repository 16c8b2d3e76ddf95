import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Scoped, severalPlants } from '../../several-plants/several-plants.ts';

interface UsedScope {
  /** The chosen plants as a field of the record. */
  readonly given: { readonly plants?: readonly string[] };
  /** The choice in the form. Nothing at a server with one plant. */
  readonly field: (before?: Scoped) => ComponentChildren;
}

/** The plants of a key or a person in the form that makes or changes it. `before`: the record that is changed. */
export function useScope(): UsedScope {
  const scope = useSignal<readonly string[] | undefined>(undefined);
  const parts = severalPlants.value;
  return {
    given: scope.value === undefined ? {} : { plants: scope.value },
    field: (before) => parts !== null && <parts.ScopeField scope={scope} before={before} />,
  };
}
