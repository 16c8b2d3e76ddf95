import { useComputed } from '@preact/signals';
import type { LiveMachine } from '../../plant/live-machine.ts';
import { number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';
import { useAge } from './age.ts';
import { causeText } from './why.ts';

/** The small tile of a machine in order. Its texts change without a new rendering. */
export function QuietMachine({ live }: { readonly live: LiveMachine }) {
  const state = live.state.value;
  const good = useComputed(() => number(live.machine.value.shift.goodParts));
  const doing = useComputed(() => doingOf(live));
  const lasting = useAge(live);
  return (
    <Link to={{ place: 'machine', machineId: live.machineId }} class="mini">
      <Icon name={STATE_ICONS[state]} />
      <span class="name clip">{live.name}</span>
      <span class="made num">{good}</span>
      <span class="clip">
        {state === 'running' && <span class="sr">{words.value.states.running}. </span>}
        {doing}
      </span>
      <span class="num">{lasting}</span>
    </Link>
  );
}

function doingOf({ machine, state }: LiveMachine): string {
  const { part } = machine.value;
  const { andon, states } = words.value;
  if (state.value === 'running') return part?.partName ?? part?.partId ?? andon.noPart;
  return causeText(machine.value) ?? states[state.value];
}
