import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { onEvent } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import { go, goUnlessElsewhere } from '../../app/route.ts';
import { type Fault, isDone, isMissing } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { type Coil, moveCoil, readCoil } from '../../plant/coils.ts';
import { resource } from '../../plant/resource.ts';
import { openTasks } from '../../plant/tasks.ts';
import { lookUp, tellUnexpected } from '../../scan/scanned.ts';
import { useScan } from '../../scan/use-scan.ts';
import { dateAndTime } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { LegacyRefusal, legacyFault } from '../../show/legacy-refusal.tsx';
import { measure, measured } from '../../show/measure.ts';
import { OnItsWay } from '../../show/on-its-way.tsx';
import { ScanPrompt } from '../../show/scan-prompt.tsx';
import { words } from '../../words/words.ts';
import { locationName, scannedLocation } from '../tasks/task-route.tsx';
import { LocationButtons } from './location-buttons.tsx';

/** One coil. A person scans or chooses its new location, and confirms it. */
export function CoilPlace({ coilId }: { readonly coilId: string }) {
  const coil = useSignal<Coil | null>(null);
  const chosen = useSignal<string | null>(null);
  const { coils: texts, places, trouble } = words.value;
  const record = useMemo(() => coilRecord(coilId, coil), [coilId, coil]);
  const loadAgain = () => load(record);
  useEffect(() => {
    void loadAgain();
    const leave = [onEvent('reset', loadAgain), onEvent('coil', (data) => record.note(data as Coil))];
    return () => {
      for (const stop of leave) stop();
    };
  }, [record]);
  useScan((code) => void hear(code, chosen));
  const back = { to: { place: 'coils' }, label: places.coils } as const;
  if (coil.value === null) return <Frame answer={trouble.waits} back={back} children={null} />;
  return (
    <Frame answer={texts.standsIn(coilId, coil.value.location)} more={locationName(coil.value.location)} back={back}>
      <Steps coilId={coilId} chosen={chosen.value} />
      <div class="cols cols-tasks">
        <CoilCard coil={coil.value} />
        <Move coil={coil} chosen={chosen} onMoved={loadAgain} />
      </div>
    </Frame>
  );
}

function Steps({ coilId, chosen }: { readonly coilId: string; readonly chosen: string | null }) {
  const { coils: texts } = words.value;
  return (
    <ol class="steps">
      <li class="done">
        <Icon name="check" />
        {coilId}
      </li>
      <li class={chosen === null ? 'here' : 'done'} aria-current={chosen === null ? 'step' : undefined}>
        {chosen ?? texts.scanPlace}
      </li>
      <li class={chosen === null ? 'todo' : 'here'} aria-current={chosen === null ? undefined : 'step'}>
        {texts.confirm}
      </li>
    </ol>
  );
}

interface MoveProps {
  readonly coil: Signal<Coil | null>;
  readonly chosen: Signal<string | null>;
  readonly onMoved: () => Promise<void>;
}

function Move({ coil, chosen, onMoved }: MoveProps) {
  const fault = useSignal<Fault | null>(null);
  const isBusy = useSignal(false);
  const { coils: texts } = words.value;
  const move = async () => {
    if (coil.value === null || chosen.value === null) return;
    const { coilId } = coil.value;
    const location = chosen.value;
    isBusy.value = true;
    fault.value = legacyFault(await moveCoil(coilId, location));
    isBusy.value = false;
    if (fault.value !== null) return;
    // The person may have chosen another place meanwhile.
    if (chosen.value === location) chosen.value = null;
    await onMoved();
    showDone(texts.standsIn(coilId, location), texts.bothHaveIt);
  };
  return (
    <div class="stack">
      {fault.value !== null && <LegacyRefusal fault={fault.value} />}
      {coil.value !== null && <OnItsWay coilId={coil.value.coilId} fault={fault} />}
      <ScanPrompt title={texts.scanPlace} hint={texts.orTap} isLive />
      <LocationButtons
        chosen={chosen.value}
        onLocation={(code) => {
          chosen.value = code;
        }}
      />
      <button
        type="button"
        class="btn btn-main btn-wide"
        disabled={chosen.value === null || isBusy.value}
        onClick={() => void move()}
      >
        {chosen.value === null ? texts.move : texts.moveTo(chosen.value, locationName(chosen.value))}
      </button>
      {coil.value !== null && <OtherWanted coilId={coil.value.coilId} chosen={chosen.value} />}
      <p class="dim small">{texts.legacyFirst}</p>
    </div>
  );
}

/** Says that a task takes this coil to another place than the chosen one. */
function OtherWanted({ coilId, chosen }: { readonly coilId: string; readonly chosen: string | null }) {
  const task = openTasks.value?.find((one) => one.taskState === 'InTransit' && one.selectedCoilId === coilId);
  if (task === undefined || chosen === null || task.destinationLocation === chosen) return null;
  return (
    <p class="bold other-place" role="status">
      <Icon name="warn-line" /> {words.value.coils.taskWants(task.taskId, task.destinationLocation)}
    </p>
  );
}

/** Takes a scan: a location is chosen, another coil opens its place. Nothing moves before the person confirms. */
async function hear(code: string, chosen: Signal<string | null>): Promise<void> {
  const scanned = await lookUp(code);
  if (scanned === null) return;
  const location = scannedLocation(scanned);
  if (location !== null) chosen.value = location;
  else if (scanned.kind === 'coil') go({ place: 'coil', coilId: scanned.id });
  else tellUnexpected(scanned);
}

function coilRecord(coilId: string, coil: Signal<Coil | null>) {
  const show = (shown: Coil) => {
    if (shown.coilId === coilId) coil.value = shown;
  };
  return resource<Coil, Coil>({ ask: () => readCoil(coilId), show, change: show, isRepeated: false });
}

async function load(record: ReturnType<typeof coilRecord>): Promise<void> {
  const goOn = goUnlessElsewhere();
  const outcome = await record.load();
  if (!isDone(outcome) && isMissing(outcome)) goOn({ place: 'coils' });
}

/** The data of a coil. */
function CoilCard({ coil }: { readonly coil: Coil }) {
  const { coils: texts, units } = words.value;
  const { gauge, color, materialType, widthIn, lengthRemainingFt, lengthStartFt, currentWeightLbs } = coil;
  const left = measured(lengthRemainingFt, 'ft');
  const weight = measured(currentWeightLbs, 'lb');
  const facts: readonly (readonly [string, string | null])[] = [
    [texts.material, coil.materialCode],
    [texts.description, coil.description],
    [texts.heat, coil.heatNumber],
    [texts.vendor, coil.vendorName],
    [texts.purchaseOrder, coil.purchaseOrder],
    [texts.cameIn, coil.dateIn === null ? null : dateAndTime(coil.dateIn)],
  ];
  return (
    <section class="pane stack" aria-label={coil.coilId}>
      <h2 class="h2">{coil.coilId}</h2>
      <p class="spec">
        <span>
          <b>
            {gauge === null ? '' : `${gauge} ${units.gauge}`} {color}
          </b>{' '}
          {materialType}
        </span>
        {widthIn !== null && (
          <span>
            <b class="num">{measure(widthIn, 'in', 4)}</b>
          </span>
        )}
      </p>
      <div class="counts counts-2">
        <div class="count">
          <span class="v">{left.text}</span>
          <span class="l">{texts.left(left.unit, measured(lengthStartFt, 'ft').text)}</span>
        </div>
        <div class="count">
          <span class="v">{weight.text}</span>
          <span class="l">{weight.unit}</span>
        </div>
      </div>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div class="fact" key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
