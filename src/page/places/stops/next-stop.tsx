import { machineName } from '../../plant/machines.ts';
import { reasonText } from '../../plant/plant.ts';
import { recentStops, type Stop } from '../../plant/stops.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { stopName, stopTimes } from './stop-times.ts';

interface NextStopProps {
  /** Stops that stay chosen although they have a reason by now. */
  readonly gone: readonly Stop[];
  /** Undefined: no stop waits. */
  readonly next: Stop | undefined;
  /** No reason buttons stand above it. */
  readonly isAlone: boolean;
  readonly onNext: (stop: Stop) => void;
}

/** Goes on to the next stop by an act, because its machine may be another one. */
export function NextStop({ gone, next, isAlone, onNext }: NextStopProps) {
  const texts = words.value.stops;
  return (
    <>
      {isAlone && (
        <h2 class="h2" id="what">
          {next === undefined ? texts.leftNone : texts.nextQuestion}
        </h2>
      )}
      {gone.map((stop) => (
        <p class="bold" key={stop.downtimeId} role="status">
          {goneText(stop)}
        </p>
      ))}
      {next !== undefined && (
        <button type="button" class={isAlone ? 'btn btn-main btn-wide' : 'btn btn-wide'} onClick={() => onNext(next)}>
          <span class="grow wrap">
            {texts.next(machineName(next.machineId))}
            <br />
            <span class="small normal">{stopTimes(next)}</span>
          </span>
          <Icon name="arrow" />
        </button>
      )}
    </>
  );
}

/** The reason that another person gave meanwhile. */
function goneText(stop: Stop): string {
  const present = recentStops.value?.find(({ downtimeId }) => downtimeId === stop.downtimeId);
  const texts = words.value.stops;
  const reason = reasonText(present?.reasonId ?? null);
  return reason === null ? texts.hasNone(stopName(stop)) : texts.has(stopName(stop), reason, present?.userName ?? '');
}
