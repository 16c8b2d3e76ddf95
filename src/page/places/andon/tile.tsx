import { useComputed } from '@preact/signals';
import { line } from '../../api/live.ts';
import type { LiveMachine } from '../../plant/live-machine.ts';
import { shownAsOfMs } from '../../plant/machines.ts';
import { number, timeOfDay } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { STATE_BANDS, STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';
import { useAge } from './age.ts';
import { reasonOf } from './why.ts';

interface TileProps {
  readonly live: LiveMachine;
}

/** The machine that needs a person most: filled, with the main action. */
export function WorstTile({ live }: TileProps) {
  const reason = useComputed(() => reasonOf(live));
  if (line.value.kind !== 'live') return <Tile live={live} />;
  return (
    <article class="tile tile-worst on-red">
      <Band live={live} />
      <div class="in">
        <h2 class="name">{live.name}</h2>
        <p class="why">{reason}</p>
        <Made live={live} withPart />
        <Link to={{ place: 'machine', machineId: live.machineId }} class="btn btn-main btn-wide">
          {words.value.andon.open(live.name.value)}
          <Icon name="arrow" />
        </Link>
      </div>
    </article>
  );
}

/** A machine that is not quiet. While no changes arrive it has no colour: colour stands for the present state. */
export function Tile({ live }: TileProps) {
  const reason = useComputed(() => reasonOf(live));
  const isOld = line.value.kind !== 'live';
  return (
    <Link to={{ place: 'machine', machineId: live.machineId }} class={isOld ? 'tile old' : 'tile'}>
      <Band live={live} />
      <div class="in">
        <h2 class="name">{live.name}</h2>
        <p class="why">{reason}</p>
        {isOld && <p class="why">{words.value.trouble.asOf(timeOfDay(shownAsOfMs.value))}</p>}
        <Made live={live} withPart={false} />
      </div>
    </Link>
  );
}

function Band({ live }: TileProps) {
  const state = live.state.value;
  const lasting = useAge(live);
  return (
    <div class={`band ${STATE_BANDS[state] ?? ''}`}>
      <Icon name={STATE_ICONS[state]} />
      <span class="w">{words.value.states[state]}</span>
      {live.sinceMs.value !== null && <span class="t">{lasting}</span>}
    </div>
  );
}

function Made({ live: { machine }, withPart }: TileProps & { readonly withPart: boolean }) {
  const goodParts = useComputed(() => number(machine.value.shift.goodParts));
  const badParts = useComputed(() => number(machine.value.shift.badParts));
  const part = useComputed(() => machine.value.part?.partName ?? machine.value.part?.partId ?? '').value;
  const { good, scrap } = words.value.andon;
  return (
    <p class="made">
      {withPart && part !== '' && <span>{part}</span>}
      <span>
        <b>{goodParts}</b> {good}
      </span>
      <span>
        <b>{badParts}</b> {scrap}
      </span>
    </p>
  );
}
