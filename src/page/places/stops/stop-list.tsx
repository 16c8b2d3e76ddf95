import { useSignal } from '@preact/signals';
import { MoreButton } from '../../app/more-button.tsx';
import { machineName } from '../../plant/machines.ts';
import type { Stop } from '../../plant/stops.ts';
import { now } from '../../show/clock.ts';
import { age } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { stopTimes } from './stop-times.ts';

/**
 * The number of stops on a phone, so that the reasons below stay within reach of a thumb. page.css hides the others.
 */
const SHOWN_ON_PHONES = 2;
/** Stops that are drawn at once. */
const AT_ONCE = 40;

interface StopListProps {
  readonly stops: readonly Stop[];
  readonly chosen: readonly Stop[];
  /** Several can be chosen, each with a tick. */
  readonly isSeveral: boolean;
  readonly onChoose: (stop: Stop) => void;
}

/** Stops without a reason, oldest first. One that lasts holds its machine. */
export function StopList({ stops, chosen, isSeveral, onChoose }: StopListProps) {
  const isWhole = useSignal(false);
  const limit = useSignal(AT_ONCE);
  const isChosen = ({ downtimeId }: Stop) => chosen.some((one) => one.downtimeId === downtimeId);
  const firstChosen = stops.findIndex(isChosen);
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = stops[firstChosen + step];
    if (isSeveral || step === 0 || next === undefined) return;
    event.preventDefault();
    onChoose(next);
  };
  return (
    <div
      class={isWhole.value || isSeveral ? 'pick' : 'pick pick-short'}
      role={isSeveral ? 'group' : 'radiogroup'}
      aria-label={words.value.stops.which}
      onKeyDown={move}
    >
      {stops.slice(0, Math.max(limit.value, firstChosen + 1)).map((stop, place) => (
        <StopOption
          key={stop.downtimeId}
          stop={stop}
          isChosen={isChosen(stop)}
          isSeveral={isSeveral}
          isReached={isSeveral || place === Math.max(0, firstChosen)}
          onChoose={onChoose}
        />
      ))}
      <MoreButton shown={limit.value} total={stops.length} onMore={() => (limit.value += AT_ONCE)} />
      {stops.length > SHOWN_ON_PHONES && (
        <button type="button" class="btn btn-wide more" onClick={() => (isWhole.value = true)}>
          {words.value.andon.hidden(stops.length - SHOWN_ON_PHONES)}
        </button>
      )}
    </div>
  );
}

interface StopOptionProps {
  readonly stop: Stop;
  readonly isChosen: boolean;
  readonly isSeveral: boolean;
  /** The Tab key reaches it; arrows go on from there. */
  readonly isReached: boolean;
  readonly onChoose: (stop: Stop) => void;
}

function StopOption({ stop, isChosen, isSeveral, isReached, onChoose }: StopOptionProps) {
  const { machineId, startedAt, endedAt } = stop;
  const endMs = endedAt === null ? now.value : Date.parse(endedAt);
  return (
    <button
      type="button"
      class={isSeveral ? 'opt lead' : 'opt'}
      role={isSeveral ? 'checkbox' : 'radio'}
      aria-checked={isChosen}
      tabIndex={isReached ? 0 : -1}
      onClick={() => onChoose(stop)}
    >
      {isSeveral && <span class="tick">{isChosen && <Icon name="check" />}</span>}
      <span>
        <span class="name">{machineName(machineId)}</span>
        <br />
        <span class="sub">
          {stopTimes(stop)}{' '}
          {endedAt === null && (
            <span class="held-now">
              <Icon name="held" />
              {words.value.stops.holdsIt}
            </span>
          )}
        </span>
      </span>
      <b class="num">{age(endMs - Date.parse(startedAt))}</b>
    </button>
  );
}
