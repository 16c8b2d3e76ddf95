import { useSignal } from '@preact/signals';
import type { Role } from '../../../domain/plant/plant.ts';
import { Frame } from '../../app/frame.tsx';
import { leave } from '../../app/unsaved.ts';
import { mayRead, nameOf, who } from '../../people/who.ts';
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
  const tabs = TABS.filter(([, role]) => mayRead(role));
  const shown = tabs.some(([name]) => name === tab.value) ? tab.value : 'machines';
  // What only administrators see is made anew for the next one.
  const person = nameOf(who.value);
  return (
    <Frame answer={said.answer(machineCount.value ?? 0)}>
      <RestartNote />
      <div class="tabs no-print">
        {tabs.map(([name]) => (
          <button
            type="button"
            class="tab"
            key={name}
            aria-pressed={shown === name}
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
      {shown === 'machines' && <Machines />}
      {shown === 'people' && <People key={person} />}
      {shown === 'keys' && <Keys key={person} />}
      {shown === 'reasons' && <Reasons />}
      {shown === 'catalogs' && <Catalogs />}
      {shown === 'backup' && <Backup key={person} />}
      {shown === 'shifts' && <Shifts key={person} />}
      {shown === 'labels' && <Labels />}
    </Frame>
  );
}
