import { useSignal } from '@preact/signals';
import type { Role } from '../../../domain/plant/plant.ts';
import { Frame } from '../../app/frame.tsx';
import { leave } from '../../app/unsaved.ts';
import { mayRead } from '../../people/who.ts';
import { machineCount } from '../../plant/machines.ts';
import { words } from '../../words/words.ts';
import { RestartNote } from '../set-up/restart-note.tsx';
import { Backup } from './backup.tsx';
import { Catalogs } from './catalogs.tsx';
import { Keys } from './keys.tsx';
import { Labels } from './labels.tsx';
import { Machines } from './machines.tsx';
import { People } from './people.tsx';
import { Reasons } from './reasons.tsx';
import { Shifts } from './shifts.tsx';

/** Each tab, with the lowest role that may see its content. */
const TABS = [
  ['machines', 'technician'],
  ['people', 'admin'],
  ['keys', 'admin'],
  ['reasons', 'technician'],
  ['catalogs', 'technician'],
  ['shifts', 'admin'],
  ['backup', 'admin'],
  ['labels', 'technician'],
] as const satisfies readonly (readonly [string, Role])[];

/** The place Admin: the set-up of the gateway, in the tabs that the person may see. */
export function Admin() {
  const tab = useSignal<(typeof TABS)[number][0]>('machines');
  const { admin: said } = words.value;
  return (
    <Frame answer={said.answer(machineCount.value ?? 0)}>
      <RestartNote />
      <div class="tabs no-print">
        {TABS.filter(([, role]) => mayRead(role)).map(([name]) => (
          <button
            type="button"
            class="tab"
            key={name}
            aria-pressed={tab.value === name}
            onClick={() =>
              leave(() => {
                tab.value = name;
              })
            }
          >
            {said.tabs[name]}
          </button>
        ))}
      </div>
      {tab.value === 'machines' && <Machines />}
      {tab.value === 'people' && <People />}
      {tab.value === 'keys' && <Keys />}
      {tab.value === 'reasons' && <Reasons />}
      {tab.value === 'catalogs' && <Catalogs />}
      {tab.value === 'backup' && <Backup />}
      {tab.value === 'shifts' && <Shifts />}
      {tab.value === 'labels' && <Labels />}
    </Frame>
  );
}
