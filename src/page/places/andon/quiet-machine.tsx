import type { ShownMachine } from '../../plant/machine-state.ts';
import { now } from '../../show/clock.ts';
import { age, number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';
import { causeText } from './tile.tsx';

/** A machine in order, small. */
export function QuietMachine({ shown: { machine, state, sinceMs } }: { readonly shown: ShownMachine }) {
  const { part, shift, machineId, name } = machine;
  const { andon, states } = words.value;
  const doing =
    state === 'running' ? (part?.partName ?? part?.partId ?? andon.noPart) : (causeText(machine) ?? states[state]);
  return (
    <Link to={{ place: 'machine', machineId }} class="mini">
      <Icon name={STATE_ICONS[state]} />
      <span class="name clip">{name}</span>
      <span class="made num">{number(shift.goodParts)}</span>
      <span class="clip">
        {state === 'running' && <span class="sr">{states.running}. </span>}
        {doing}
      </span>
      <span class="num">{sinceMs === null ? '' : age(now.value - sinceMs)}</span>
    </Link>
  );
}
