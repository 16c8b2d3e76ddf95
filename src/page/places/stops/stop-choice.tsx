import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { machineName } from '../../plant/machines.ts';
import { offeredReasons, type Reason, reasonText } from '../../plant/plant.ts';
import { categorize, reasonCounts, recentStops, type Stop, waitingStops } from '../../plant/stops.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { ReasonButtons } from './reason-buttons.tsx';
import { StopList } from './stop-list.tsx';
import { stopName, stopTimes } from './stop-times.ts';

/**
 * The stops that the reason buttons stand for. They change by a person's tap alone, but for the next stop of the same
 * machine: a second tap under the same finger never reaches another machine.
 */
export interface Picked {
  readonly stops: readonly Stop[];
  /** An act on them was refused: they stay, even with a reason by then, so that the person can repeat it. */
  readonly isRefused: boolean;
}

interface StopChoiceProps {
  /** The stops without a reason, those of this place's machine first. */
  readonly stops: readonly Stop[];
  /** Null: nobody has picked a stop since the place was opened. */
  readonly picked: Signal<Picked | null>;
}

/** One stop or several, and their reason. */
export function StopChoice({ stops, picked }: StopChoiceProps) {
  const isSeveral = useSignal(false);
  const isBusy = useSignal(false);
  const texts = words.value.stops;
  const chosen = chosenOf(stops, picked.value, isBusy.value);
  useEffect(() => {
    picked.value ??= { stops: chosen, isRefused: false };
  }, [picked, chosen]);
  const pick = (next: readonly Stop[]) => {
    picked.value = { stops: next, isRefused: false };
  };
  const choose = (stop: Stop) => pick(isSeveral.value ? toggled(chosen, stop) : [stop]);
  const give = async (reason: Reason) => {
    if (isBusy.value) return;
    const before = picked.value;
    isBusy.value = true;
    const isGiven = await giveReason(chosen, reason, pick);
    isBusy.value = false;
    // A choice that a person made meanwhile stays.
    if (picked.value !== before) return;
    if (!isGiven) picked.value = { stops: chosen, isRefused: true };
    else {
      pick(isSeveral.value ? [] : nextOfMachine(chosen));
      isSeveral.value = false;
    }
  };
  const isAsking = isSeveral.value || chosen.length > 0;
  const waiting = stops.filter((stop) => !hasStop(chosen, stop));
  return (
    <div class="cols cols-stops">
      <section class="stack">
        <StopList stops={stops} chosen={chosen} isSeveral={isSeveral.value} onChoose={choose} />
        {stops.length > 1 && (
          <button
            type="button"
            class="btn"
            onClick={() => {
              pick(isSeveral.value ? stops.slice(0, 1) : []);
              isSeveral.value = !isSeveral.value;
            }}
          >
            {isSeveral.value ? texts.oneAtATime : texts.severalAtOnce}
          </button>
        )}
      </section>
      <section class="stack" aria-labelledby="what">
        {isAsking && <Asking stops={chosen} isNamed={isOfSeveralMachines(stops)} onReason={(it) => void give(it)} />}
        {!isSeveral.value && !chosen.some((stop) => hasStop(stops, stop)) && !isBusy.value && (
          <NextStop gone={chosen} next={waiting[0]} isAlone={!isAsking} onNext={choose} />
        )}
      </section>
    </div>
  );
}

interface AskingProps {
  readonly stops: readonly Stop[];
  /** Stops of several machines wait, so each button names its machine. */
  readonly isNamed: boolean;
  readonly onReason: (reason: Reason) => void;
}

function Asking({ stops, isNamed, onReason }: AskingProps) {
  const counts = useSignal<ReadonlyMap<string, number>>(new Map());
  const [only] = stops;
  const usualAt = only?.machineId;
  useEffect(() => {
    if (usualAt === undefined) return;
    let isCurrent = true;
    void reasonCounts(usualAt).then((found) => {
      if (isCurrent) counts.value = found;
    });
    return () => {
      isCurrent = false;
    };
  }, [usualAt, counts]);
  const texts = words.value.stops;
  const name = stops.length === 1 && only !== undefined ? machineName(only.machineId) : null;
  return (
    <>
      <h2 class="h2" id="what">
        {name !== null ? texts.question(name) : texts.questionOf(stops.length)}
      </h2>
      <ReasonButtons
        stopIds={stops.map(({ downtimeId }) => downtimeId).join()}
        reasons={offeredReasons.value}
        counts={counts.value}
        isOff={stops.length === 0}
        machine={isNamed ? name : null}
        onReason={onReason}
      />
    </>
  );
}

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
function NextStop({ gone, next, isAlone, onNext }: NextStopProps) {
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

/** The stops that the buttons stand for now: one that got its reason by another person is none, unless an act was refused. */
function chosenOf(stops: readonly Stop[], picked: Picked | null, isBusy: boolean): readonly Stop[] {
  if (picked === null) return stops.slice(0, 1);
  if (picked.isRefused || isBusy) return picked.stops;
  return picked.stops.filter((stop) => hasStop(stops, stop));
}

function hasStop(stops: readonly Stop[], { downtimeId }: Stop): boolean {
  return stops.some((stop) => stop.downtimeId === downtimeId);
}

function isOfSeveralMachines(stops: readonly Stop[]): boolean {
  return new Set(stops.map(({ machineId }) => machineId)).size > 1;
}

function nextOfMachine(given: readonly Stop[]): readonly Stop[] {
  const machineId = given[0]?.machineId;
  const next = waitingStops.value?.find((stop) => stop.machineId === machineId && !hasStop(given, stop));
  return next === undefined ? [] : [next];
}

function toggled(stops: readonly Stop[], stop: Stop): readonly Stop[] {
  return hasStop(stops, stop) ? stops.filter((other) => other.downtimeId !== stop.downtimeId) : [...stops, stop];
}

/** Gives stops their reason. True: it was done. `onUndone` gets the stops that wait again. */
async function giveReason(
  stops: readonly Stop[],
  reason: Reason,
  onUndone: (stops: readonly Stop[]) => void,
): Promise<boolean> {
  const texts = words.value.stops;
  const [only] = stops;
  const isOne = stops.length === 1 && only !== undefined;
  const outcome = await categorize(stops, reason.id);
  if (!isDone(outcome, isOne ? stopName(only) : texts.stopsOf(stops.length))) return false;
  const count = waitingStops.value?.length ?? 0;
  showDone(
    isOne ? texts.done(reason.reason, machineName(only.machineId)) : texts.doneOf(reason.reason, stops.length),
    count === 0 ? texts.leftNone : texts.left(count),
    async () => {
      const isUndone = isDone(await categorize(stops, null));
      if (isUndone && isOne) onUndone(stops);
      return isUndone;
    },
  );
  return true;
}
