import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ALL_PLANTS, FIRST_PLANT, type PlantName, plantScope } from '../../../domain/plant/plant-scope.ts';
import { shownPlantId } from '../../api/address.ts';
import { ownPlants, plantName } from '../../several-plants/own-plants.ts';
import { plantWords } from '../../several-plants/plant-words.ts';
import type { PlantParts, Scoped } from '../../several-plants/several-plants.ts';

/** All plants or some, and one for a gateway, which stands in one. A new record gets those that suit its role. */
export const ScopeField: PlantParts['ScopeField'] = ({ scope, before }) => {
  const field = useRef<HTMLFieldSetElement>(null);
  const role = useRoleIn(field);
  const { plant, plants } = plantWords.value;
  useLayoutEffect(() => {
    const shown = shownPlantId() ?? FIRST_PLANT;
    const usual = before === undefined ? (role === 'admin' ? [ALL_PLANTS] : [shown]) : plantsOf(before);
    scope.value = role === 'gateway' ? [usual.find((plantId) => plantId !== ALL_PLANTS) ?? shown] : usual;
  }, [role]);
  const chosen = scope.value ?? [];
  const choose = (next: readonly string[]) => {
    scope.value = next;
  };
  return (
    <fieldset class="field checks" ref={field}>
      <legend>{role === 'gateway' ? plant : plants}</legend>
      {role === 'gateway' ? (
        <OnePlant offered={offeredWith(chosen)} chosen={chosen[0]} onChoose={(plantId) => choose([plantId])} />
      ) : (
        <SomePlants offered={offeredWith(chosen)} chosen={chosen} onChoose={choose} />
      )}
    </fieldset>
  );
};

/** The plants of a key or a person, below its role. */
export const ScopeText: PlantParts['ScopeText'] = ({ of: record }) => {
  const scope = plantScope(record);
  return (
    <>
      <br />
      <span class="dim small">{scope === 'all' ? plantWords.value.all : [...scope].map(plantName).join(', ')}</span>
    </>
  );
};

/** The plants that a record has. Without a list its role decides. */
function plantsOf(record: Scoped): readonly string[] {
  const scope = plantScope(record);
  return scope === 'all' ? [ALL_PLANTS] : [...scope];
}

/** The plants of the person who chooses, and those of the record that the server does not have any more. */
function offeredWith(chosen: readonly string[]): readonly PlantName[] {
  const own = ownPlants.value ?? [];
  const others = chosen.filter((id) => id !== ALL_PLANTS && !own.some(({ plantId }) => plantId === id));
  return [...own, ...others.map((plantId) => ({ plantId, name: plantId }))];
}

interface OnePlantProps {
  readonly offered: readonly PlantName[];
  readonly chosen: string | undefined;
  readonly onChoose: (plantId: string) => void;
}

function OnePlant({ offered, chosen, onChoose }: OnePlantProps) {
  return (
    <select
      aria-label={plantWords.value.plant}
      value={chosen}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      {offered.map(({ plantId, name }) => (
        <option key={plantId} value={plantId}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface SomePlantsProps {
  readonly offered: readonly PlantName[];
  readonly chosen: readonly string[];
  readonly onChoose: (plants: readonly string[]) => void;
}

function SomePlants({ offered, chosen, onChoose }: SomePlantsProps) {
  const { all } = plantWords.value;
  const isAll = chosen.includes(ALL_PLANTS);
  const toggle = (plantId: string) =>
    onChoose(chosen.includes(plantId) ? chosen.filter((other) => other !== plantId) : [...chosen, plantId]);
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={isAll}
          onChange={() => onChoose(isAll ? offered.map(({ plantId }) => plantId) : [ALL_PLANTS])}
        />
        {all}
      </label>
      {offered.map(({ plantId, name }) => (
        <label key={plantId}>
          <input
            type="checkbox"
            checked={isAll || chosen.includes(plantId)}
            disabled={isAll}
            onChange={() => toggle(plantId)}
          />
          {name}
        </label>
      ))}
    </>
  );
}

/** The role that is chosen in the same form. */
function useRoleIn(field: RefObject<HTMLFieldSetElement | null>): string {
  const role = useSignal('');
  useLayoutEffect(() => {
    const choice = field.current?.form?.elements.namedItem('role');
    if (!(choice instanceof HTMLSelectElement)) return;
    const read = () => {
      role.value = choice.value;
    };
    read();
    choice.addEventListener('input', read);
    return () => choice.removeEventListener('input', read);
  }, []);
  return role.value;
}
