import { machines } from '../../plant/machines.ts';
import type { Stop } from '../../plant/stops.ts';
import { now } from '../../show/clock.ts';
import { age, timeOfDay } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

interface StopListProps {
  readonly stops: readonly Stop[];
  readonly chosen: Stop;
  readonly onChoose: (stop: Stop) => void;
}

/** Stops without a reason, oldest first. One that lasts holds its machine. */
export function StopList({ stops, chosen, onChoose }: StopListProps) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = stops[stops.indexOf(chosen) + step];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onChoose(next);
  };
  return (
    <div class="pick" role="radiogroup" aria-label={words.value.stops.which} onKeyDown={move}>
      {stops.map((stop) => (
        <StopOption key={stop.downtimeId} stop={stop} isChosen={stop === chosen} onChoose={onChoose} />
      ))}
    </div>
  );
}

interface StopOptionProps {
  readonly stop: Stop;
  readonly isChosen: boolean;
  readonly onChoose: (stop: Stop) => void;
}

function StopOption({ stop, isChosen, onChoose }: StopOptionProps) {
  const { machineId, startedAt, endedAt } = stop;
  const { fromTo, since, holdsIt } = words.value.stops;
  const endMs = endedAt === null ? now.value : Date.parse(endedAt);
  return (
    // biome-ignore lint/a11y/useSemanticElements: an option of two lines and a number is no input.
    <button
      type="button"
      class="opt"
      role="radio"
      aria-checked={isChosen}
      tabIndex={isChosen ? 0 : -1}
      onClick={() => onChoose(stop)}
    >
      <span>
        <span class="name">{machines.value?.get(machineId)?.name ?? machineId}</span>
        <br />
        <span class="sub">
          {endedAt === null ? since(timeOfDay(startedAt)) : fromTo(timeOfDay(startedAt), timeOfDay(endedAt))}{' '}
          {endedAt === null && (
            <span class="held-now">
              <Icon name="held" />
              {holdsIt}
            </span>
          )}
        </span>
      </span>
      <b class="num">{age(endMs - Date.parse(startedAt))}</b>
    </button>
  );
}
