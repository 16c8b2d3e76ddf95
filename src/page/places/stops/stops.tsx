import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Frame } from '../../app/frame.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { machineName } from '../../plant/machines.ts';
import { type Reason, reasons } from '../../plant/plant.ts';
import { categorize, loadStops, reasonCounts, type Stop, waitingStops } from '../../plant/stops.ts';
import { now } from '../../show/clock.ts';
import { age, timeOfDay, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { PastStops } from './past-stops.tsx';
import { ReasonButtons } from './reason-buttons.tsx';

/** The place Stops: stops without a reason, the oldest first, which get their reason by two taps. */
export function Stops({ machineId }: { readonly machineId: string | undefined }) {
  const stops = waitingStops.value;
  useEffect(() => void loadStops().then(isDone), []);
  const { stops: texts, trouble } = words.value;
  const [oldest] = stops ?? [];
  if (stops === null || oldest === undefined) {
    return (
      <Frame answer={stops === null ? trouble.waits : texts.none}>
        {stops !== null && (
          <div class="pane empty">
            <Icon name="downtime" />
            <b>{texts.none}</b>
            <span>{texts.noneHint}</span>
          </div>
        )}
        {stops !== null && <PastStops />}
      </Frame>
    );
  }
  const answer = stops.length === 1 ? texts.one : texts.many(stops.length);
  const [ofMachine, others] = [
    stops.filter((stop) => stop.machineId === machineId),
    stops.filter((stop) => stop.machineId !== machineId),
  ];
  return (
    <Frame answer={answer} more={texts.oldest(timeOrDate(oldest.startedAt))}>
      <Choice stops={[...ofMachine, ...others]} first={ofMachine[0] ?? oldest} />
      <PastStops />
    </Frame>
  );
}

/** One stop or several, and their reason. */
function Choice({ stops, first }: { readonly stops: readonly Stop[]; readonly first: Stop }) {
  const chosenIds = useSignal<ReadonlySet<string>>(new Set());
  const isSeveral = useSignal(false);
  const counts = useSignal<ReadonlyMap<string, number>>(new Map());
  const marked = stops.filter(({ downtimeId }) => chosenIds.value.has(downtimeId));
  const chosen = marked.length === 0 && !isSeveral.value ? [first] : marked;
  const usualAt = (chosen[0] ?? first).machineId;
  useEffect(() => {
    let isCurrent = true;
    void reasonCounts(usualAt).then((found) => {
      if (isCurrent) counts.value = found;
    });
    return () => {
      isCurrent = false;
    };
  }, [usualAt, counts]);
  const texts = words.value.stops;
  const choose = ({ downtimeId }: Stop) => {
    chosenIds.value = new Set(isSeveral.value ? toggled(chosenIds.value, downtimeId) : [downtimeId]);
  };
  const [only] = chosen;
  const giveAll = async (reason: Reason) => {
    const given = chosenIds.value;
    // A choice that a person made meanwhile stays.
    if (!(await giveReason(chosen, reason)) || chosenIds.value !== given) return;
    chosenIds.value = new Set();
    isSeveral.value = false;
  };
  return (
    <div class="cols cols-stops">
      <section class="stack">
        <StopList stops={stops} chosen={chosen} isSeveral={isSeveral.value} onChoose={choose} />
        {stops.length > 1 && (
          <button
            type="button"
            class="btn"
            onClick={() => {
              isSeveral.value = !isSeveral.value;
              chosenIds.value = new Set();
            }}
          >
            {isSeveral.value ? texts.oneAtATime : texts.severalAtOnce}
          </button>
        )}
      </section>
      <section class="stack" aria-labelledby="what">
        <h2 class="h2" id="what">
          {chosen.length === 1 && only !== undefined
            ? texts.question(machineName(only.machineId))
            : texts.questionOf(chosen.length)}
        </h2>
        <ReasonButtons
          stopIds={chosen.map(({ downtimeId }) => downtimeId).join()}
          reasons={reasons.value}
          counts={counts.value}
          isOff={chosen.length === 0}
          onReason={(reason) => void giveAll(reason)}
        />
      </section>
    </div>
  );
}

function toggled(ids: ReadonlySet<string>, id: string): readonly string[] {
  return ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id];
}

/** Gives stops their reason. True: it was done. */
async function giveReason(stops: readonly Stop[], reason: Reason): Promise<boolean> {
  const outcome = await categorize(stops, reason.id);
  if (!isDone(outcome)) return false;
  const { done, doneOf, left, leftNone } = words.value.stops;
  const count = waitingStops.value?.length ?? 0;
  const [only] = stops;
  showToast({
    text:
      stops.length === 1 && only !== undefined
        ? done(reason.reason, machineName(only.machineId))
        : doneOf(reason.reason, stops.length),
    more: count === 0 ? leftNone : left(count),
    isRefusal: false,
    undo: () => categorize(stops, null).then(isDone),
  });
  return true;
}

/**
 * The number of stops on a phone, so that the reasons below stay within reach of a thumb. page.css hides the others.
 */
const SHOWN_ON_PHONES = 2;

interface StopListProps {
  readonly stops: readonly Stop[];
  readonly chosen: readonly Stop[];
  /** Several can be chosen, each with a tick. */
  readonly isSeveral: boolean;
  readonly onChoose: (stop: Stop) => void;
}

/** Stops without a reason, oldest first. One that lasts holds its machine. */
function StopList({ stops, chosen, isSeveral, onChoose }: StopListProps) {
  const isWhole = useSignal(false);
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = stops[stops.findIndex((stop) => chosen.includes(stop)) + step];
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
      {stops.map((stop) => (
        <StopOption
          key={stop.downtimeId}
          stop={stop}
          isChosen={chosen.includes(stop)}
          isSeveral={isSeveral}
          onChoose={onChoose}
        />
      ))}
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
  readonly onChoose: (stop: Stop) => void;
}

function StopOption({ stop, isChosen, isSeveral, onChoose }: StopOptionProps) {
  const { machineId, startedAt, endedAt } = stop;
  const { fromTo, since, holdsIt } = words.value.stops;
  const endMs = endedAt === null ? now.value : Date.parse(endedAt);
  return (
    <button
      type="button"
      class={isSeveral ? 'opt lead' : 'opt'}
      role={isSeveral ? 'checkbox' : 'radio'}
      aria-checked={isChosen}
      tabIndex={isChosen || isSeveral ? 0 : -1}
      onClick={() => onChoose(stop)}
    >
      {isSeveral && <span class="tick">{isChosen && <Icon name="check" />}</span>}
      <span>
        <span class="name">{machineName(machineId)}</span>
        <br />
        <span class="sub">
          {endedAt === null ? since(timeOrDate(startedAt)) : fromTo(timeOrDate(startedAt), timeOfDay(endedAt))}{' '}
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
