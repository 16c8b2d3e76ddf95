import { useComputed, useSignal } from '@preact/signals';
import { groupBy } from '../../../domain/group-by.ts';
import { areaName } from '../../app/machine-filter.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { byName } from '../../plant/by-name.ts';
import type { LiveMachine } from '../../plant/live-machine.ts';
import type { PlacedMachine } from '../../plant/places.ts';
import { number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';
import { useAge } from './age.ts';
import { andonRoute } from './choice.ts';
import { causeText } from './why.ts';

/** Tiles that are drawn at once. A plant with more quiet machines sees their number in each area. */
const AT_ONCE = 200;

interface QuietMachinesProps {
  readonly quiet: readonly PlacedMachine[];
  /** A person looks for a machine or at one area. */
  readonly isAsked: boolean;
}

/** The machines in order: each with a tile, or, where they are many, their number in each area. */
export function QuietMachines({ quiet, isAsked }: QuietMachinesProps) {
  const limit = useSignal(AT_ONCE);
  const { andon } = words.value;
  if (quiet.length === 0) return null;
  return (
    <>
      <p class="sect">
        <b>{andon.quiet(quiet.length)}</b>
        <span>{andon.nothingToDo}</span>
      </p>
      <section class="quiet" aria-label={andon.quietMachines}>
        {isAsked || quiet.length <= AT_ONCE
          ? quiet.slice(0, limit.value).map(({ live }) => <QuietMachine key={live.machineId} live={live} />)
          : areasOf(quiet).map(([area, machines]) => <QuietArea key={area} area={area} machines={machines} />)}
      </section>
      {isAsked && <MoreButton shown={limit.value} total={quiet.length} onMore={() => (limit.value += AT_ONCE)} />}
    </>
  );
}

/** The machines of each area, by its name; those without an area come last. */
function areasOf(quiet: readonly PlacedMachine[]): readonly (readonly [string, readonly PlacedMachine[]])[] {
  const areas = groupBy(quiet, ({ live }) => live.area.value ?? '');
  return [...areas].sort(([one], [other]) =>
    one === '' || other === '' ? other.length - one.length : byName(one, other),
  );
}

interface QuietAreaProps {
  readonly area: string;
  readonly machines: readonly PlacedMachine[];
}

/** The way to the machines of an area, with their number in each quiet state. */
function QuietArea({ area, machines }: QuietAreaProps) {
  const { counted } = words.value.andon;
  const texts = (['running', 'stopped', 'off'] as const).flatMap((sought) => {
    const count = machines.filter(({ state }) => state === sought).length;
    return count === 0 ? [] : [counted[sought](count)];
  });
  return (
    <Link to={andonRoute({ area, find: '' })} class="mini">
      <Icon name="andon" />
      <span class="name clip">{areaName(area)}</span>
      <span class="made num">{number(machines.length)}</span>
      <span class="clip">{texts.join(', ')}</span>
      <span class="num">
        <Icon name="right" />
      </span>
    </Link>
  );
}

/** The small tile of a machine in order. Its texts change without a new rendering. */
function QuietMachine({ live }: { readonly live: LiveMachine }) {
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
