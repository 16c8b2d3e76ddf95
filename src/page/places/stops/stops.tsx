import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Frame } from '../../app/frame.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { loadStops, type Stop, waitingStops } from '../../plant/stops.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { isNear, NearMachines, nearMachineIds } from './near-machines.tsx';
import { PastStops } from './past-stops.tsx';
import { type Picked, StopChoice } from './stop-choice.tsx';

/** The place Stops: stops without a reason, the oldest first, which get their reason by two taps. */
export function Stops({ machineId }: { readonly machineId: string | undefined }) {
  useEffect(() => void loadStops().then(isDone), []);
  const picked = useSignal<Picked | null>(null);
  const isEverywhere = useSignal(false);
  const all = waitingStops.value;
  const { stops: texts, trouble } = words.value;
  if (all === null) return <Frame answer={trouble.waits} children={null} />;
  const shown = isEverywhere.value ? all : all.filter((stop) => isNear(stop.machineId, machineId));
  const stops = [...shown.filter(isAt(machineId)), ...shown.filter((stop) => !isAt(machineId)(stop))];
  const elsewhere = all.length - shown.length;
  const [oldest] = shown;
  const answer = stops.length === 0 ? texts.none : stops.length === 1 ? texts.one : texts.many(stops.length);
  const isChoosing = stops.length > 0 || picked.value?.isRefused === true;
  return (
    <Frame answer={answer} more={oldest === undefined ? '' : texts.oldest(timeOrDate(oldest.startedAt))}>
      {isChoosing ? (
        <StopChoice stops={stops} picked={picked} />
      ) : (
        <div class="pane empty">
          <Icon name="downtime" />
          <b>{texts.none}</b>
          <span>{texts.noneHint}</span>
        </div>
      )}
      <NearMachines
        elsewhere={elsewhere}
        isEverywhere={isEverywhere.value && nearMachineIds.value.length > 0}
        onEverywhere={(next) => {
          isEverywhere.value = next;
        }}
      />
      <PastStops />
    </Frame>
  );
}

function isAt(machineId: string | undefined): (stop: Stop) => boolean {
  return (stop) => stop.machineId === machineId;
}
