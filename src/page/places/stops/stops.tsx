import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Frame } from '../../app/frame.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { machines } from '../../plant/machines.ts';
import { type Reason, reasons } from '../../plant/plant.ts';
import { categorize, loadStops, type Stop, waitingStops } from '../../plant/stops.ts';
import { timeOfDay } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { ReasonButtons } from './reason-buttons.tsx';
import { StopList } from './stop-list.tsx';

/** Why did it stop? The oldest first; a reason is two taps away. */
export function Stops() {
  const chosenId = useSignal<string | null>(null);
  useEffect(() => void loadStops(), []);
  const stops = waitingStops.value;
  const { stops: said, trouble } = words.value;
  const [oldest] = stops ?? [];
  if (stops === null || oldest === undefined) {
    return (
      <Frame answer={stops === null ? trouble.waits : said.none}>
        {stops !== null && (
          <div class="pane empty">
            <Icon name="downtime" />
            <b>{said.none}</b>
            <span>{said.noneHint}</span>
          </div>
        )}
      </Frame>
    );
  }
  const chosen = stops.find(({ downtimeId }) => downtimeId === chosenId.value) ?? oldest;
  const answer = stops.length === 1 ? said.one : said.many(stops.length);
  return (
    <Frame answer={answer} more={said.oldest(timeOfDay(oldest.startedAt))}>
      <div class="cols cols-stops">
        <StopList
          stops={stops}
          chosen={chosen}
          onChoose={(stop) => {
            chosenId.value = stop.downtimeId;
          }}
        />
        <section class="stack" aria-labelledby="what">
          <h2 class="h2" id="what">
            {said.question(machineName(chosen))}
          </h2>
          <ReasonButtons reasons={reasons.value} onReason={(reason) => void giveReason(chosen, reason)} />
        </section>
      </div>
    </Frame>
  );
}

async function giveReason(stop: Stop, reason: Reason): Promise<void> {
  const outcome = await categorize(stop, reason.id);
  if (!isDone(outcome)) return;
  const { done, left, leftNone } = words.value.stops;
  const count = waitingStops.value?.length ?? 0;
  showToast({
    text: done(reason.reason, machineName(stop)),
    more: count === 0 ? leftNone : left(count),
    isRefusal: false,
    undo: () => void takeBack(stop),
  });
}

async function takeBack(stop: Stop): Promise<void> {
  isDone(await categorize(stop, null));
}

function machineName({ machineId }: Stop): string {
  return machines.value?.get(machineId)?.name ?? machineId;
}
