import { signal, useSignal } from '@preact/signals';
import { keepChoice, keptChoice } from '../../app/kept-choice.ts';
import { SearchField } from '../../app/search-field.tsx';
import { Sheet } from '../../app/sheet.tsx';
import { mayRead, panelOf, who } from '../../people/who.ts';
import { machineName, placedMachines } from '../../plant/machines.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

const STORED_AS = 'machines';
/** Machines that the sheet shows at once; a search finds the others. */
const SHOWN = 40;

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

/** Whether a browser that is bound to machines shows the stops of this one; `asked`: the machine that the address names. */
export function isNear(machineId: string, asked: string | undefined): boolean {
  const near = nearMachineIds.value;
  return near.length === 0 || near.includes(machineId) || machineId === asked;
}

interface NearMachinesProps {
  /** The number of stops at other machines, which are not shown. */
  readonly elsewhere: number;
  readonly isEverywhere: boolean;
  readonly onEverywhere: (isEverywhere: boolean) => void;
}

/** Says which machines this browser is for. At a panel that many people share a supervisor chooses them. */
export function NearMachines({ elsewhere, isEverywhere, onEverywhere }: NearMachinesProps) {
  const isAsked = useSignal(false);
  const texts = words.value.near;
  const near = nearMachineIds.value;
  const mayChoose = panelOf(who.value) === null || mayRead('supervisor');
  return (
    <div class="row">
      {near.length > 0 && <p class="dim wrap">{texts.bound(near.map(machineName).join(', '))}</p>}
      {(elsewhere > 0 || isEverywhere) && (
        <button type="button" class="btn" onClick={() => onEverywhere(!isEverywhere)}>
          {isEverywhere ? texts.onlyHere : texts.elsewhere(elsewhere)}
        </button>
      )}
      {mayChoose && (
        <button type="button" class="btn" onClick={() => (isAsked.value = true)}>
          <Icon name="machine" />
          {texts.choose}
        </button>
      )}
      {isAsked.value && <ChooseMachines onClose={() => (isAsked.value = false)} />}
    </div>
  );
}

function ChooseMachines({ onClose }: { readonly onClose: () => void }) {
  const sought = useSignal('');
  const texts = words.value.near;
  const near = nearMachineIds.value;
  const text = sought.value.trim().toLowerCase();
  const all = placedMachines.value
    .map(({ live: { machineId }, name }) => ({ machineId, name }))
    .sort((one, other) => one.name.localeCompare(other.name));
  const found = all.filter(({ machineId, name }) => `${machineId} ${name}`.toLowerCase().includes(text));
  const toggle = (machineId: string) => {
    const next = near.includes(machineId) ? near.filter((id) => id !== machineId) : [...near, machineId];
    nearMachineIds.value = next;
    keepChoice(STORED_AS, JSON.stringify(next));
  };
  return (
    <Sheet title={texts.choose} onClose={onClose}>
      <p class="dim">{texts.hint}</p>
      {all.length > SHOWN && (
        <SearchField label={texts.find} value={sought.value} onSearch={(typed) => (sought.value = typed)} />
      )}
      <div class="reasons">
        {found.slice(0, SHOWN).map(({ machineId, name }) => (
          <button
            type="button"
            class="opt lead"
            key={machineId}
            role="checkbox"
            aria-checked={near.includes(machineId)}
            onClick={() => toggle(machineId)}
          >
            <span class="tick">{near.includes(machineId) && <Icon name="check" />}</span>
            <span class="name">{name}</span>
          </button>
        ))}
      </div>
      {found.length > SHOWN && <p class="dim">{words.value.andon.hidden(found.length - SHOWN)}</p>}
    </Sheet>
  );
}
