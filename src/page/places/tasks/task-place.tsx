import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Outcome } from '../../api/call.ts';
import { Frame } from '../../app/frame.tsx';
import { goUnlessElsewhere } from '../../app/route.ts';
import { Sheet } from '../../app/sheet.tsx';
import type { Fault } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { loadTasks, openTasks, stepTask, type Task } from '../../plant/tasks.ts';
import { lookUp, tellSheetIsOpen, tellUnexpected } from '../../scan/scanned.ts';
import { useScan } from '../../scan/use-scan.ts';
import { Icon } from '../../show/icon.tsx';
import { LegacyRefusal, legacyFault } from '../../show/legacy-refusal.tsx';
import { OnItsWay } from '../../show/on-its-way.tsx';
import { words } from '../../words/words.ts';
import { LocationButtons } from '../coils/location-buttons.tsx';
import { OtherPlace } from './other-place.tsx';
import { ScanCoil } from './scan-coil.tsx';
import { scannedLocation, TaskRoute, TaskSpec } from './task-route.tsx';
import { takeTask } from './tasks.tsx';

/** One task in its steps: take it, scan the coil, confirm the arrival. */
export function TaskPlace({ taskId }: { readonly taskId: string }) {
  useEffect(() => {
    if (openTasks.value === null) void loadTasks();
  }, []);
  const { tasks: texts, places, trouble } = words.value;
  const back = { to: { place: 'tasks' }, label: places.tasks } as const;
  const task = openTasks.value?.find((one) => one.taskId === taskId);
  if (openTasks.value === null) return <Frame answer={trouble.waits} back={back} children={null} />;
  if (task === undefined) return <Frame answer={texts.gone(taskId)} back={back} children={null} />;
  return (
    <Frame answer={texts.heading(task.taskId, task.destinationLocation)} back={back}>
      <Steps task={task} />
      <div class="cols cols-tasks">
        <div class="stack">
          <NextStep task={task} />
        </div>
        <section class="pane stack" aria-labelledby="wanted">
          <h2 class="h3" id="wanted">
            {texts.wanted}
          </h2>
          <TaskSpec task={task} />
          <TaskRoute task={task} />
          {task.preferredCoilIds.length > 0 && (
            <p>
              {texts.preferred} <b>{task.preferredCoilIds.join(', ')}</b>
            </p>
          )}
        </section>
      </div>
    </Frame>
  );
}

function NextStep({ task }: { readonly task: Task }) {
  switch (task.taskState) {
    case 'InTransit':
      return <BringCoil task={task} />;
    case 'InProcess':
      return <ScanCoil task={task} />;
    case 'Pending':
      return <p class="h3">{words.value.tasks.pending}</p>;
    default:
      return (
        <button type="button" class="btn btn-main btn-wide" onClick={() => void takeTask(task)}>
          {words.value.tasks.take}
        </button>
      );
  }
}

const STEPS: readonly Task['taskState'][] = ['Ready', 'InProcess', 'InTransit'];

/** The steps of the task: done, and next. */
function Steps({ task: { taskState, selectedCoilId } }: { readonly task: Task }) {
  const { take, taken, scanCoil, arrived } = words.value.tasks;
  const here = Math.max(0, STEPS.indexOf(taskState));
  const labels = [here > 0 ? taken : take, here > 1 ? (selectedCoilId ?? '') : scanCoil, arrived];
  return (
    <ol class="steps">
      {labels.map((label, place) => (
        <li
          key={label}
          class={place < here ? 'done' : place === here ? 'here' : 'todo'}
          aria-current={place === here ? 'step' : undefined}
        >
          {place < here && <Icon name="check" />}
          {label}
        </li>
      ))}
    </ol>
  );
}

/** A place: it was scanned, and is not the one that the task names. */
type Asked = 'nothing' | 'elsewhere' | 'cancel' | { readonly location: string };

/**
 * The last step of a task: the driver brings the coil and confirms its arrival. The legacy system gets the new location
 * first, and a failure is shown at once.
 */
function BringCoil({ task }: { readonly task: Task }) {
  const asked = useSignal<Asked>('nothing');
  const destination = task.destinationLocation;
  const fault = useSignal<Fault | null>(null);
  const isBusy = useSignal(false);
  const { tasks: texts } = words.value;
  // A fault belongs to the step that failed: to arrive, or what the open sheet asks for.
  const ask = (next: Asked) => {
    fault.value = null;
    asked.value = next;
  };
  const close = () => ask('nothing');
  const write = async (step: () => Promise<Outcome<unknown>>, done: string) => {
    if (isBusy.value) return;
    const goOn = goUnlessElsewhere();
    isBusy.value = true;
    fault.value = legacyFault(await step());
    isBusy.value = false;
    if (fault.value !== null) return;
    goOn({ place: 'tasks' });
    showToast({ text: done, more: '', isRefusal: false, undo: null });
  };
  const complete = (location: string) =>
    write(
      () => stepTask(task.taskId, { type: 'complete', body: { location } }),
      texts.isAt(task.selectedCoilId ?? '', location),
    );
  const cancel = (location: string) =>
    write(
      () => stepTask(task.taskId, { type: 'cancel', body: { coilId: task.selectedCoilId ?? '', location } }),
      texts.cancelled(task.taskId, location),
    );
  useScan((code) => void hear(code, task, asked.value, ask));
  const sheet = asked.value;
  const arrivalFault = sheet === 'nothing' ? fault.value : null;
  return (
    <>
      {arrivalFault !== null && <LegacyRefusal fault={arrivalFault} />}
      {task.selectedCoilId !== null && <OnItsWay coilId={task.selectedCoilId} fault={fault} />}
      <section class="pane stack">
        <TaskRoute task={task} />
        <button
          type="button"
          class="btn btn-main btn-wide"
          disabled={isBusy.value}
          onClick={() => void complete(destination)}
        >
          <Icon name={arrivalFault === null ? 'check' : 'retry'} />
          {arrivalFault === null ? texts.arrive(destination) : texts.tryAgain}
        </button>
        <p class="dim">{arrivalFault === null ? texts.legacyFirst : texts.nothingWaits}</p>
      </section>
      <div class="row">
        <button type="button" class="btn grow" onClick={() => ask('elsewhere')}>
          {texts.elsewhere}
        </button>
        <button type="button" class="btn grow" onClick={() => ask('cancel')}>
          {texts.cancelTask}
        </button>
      </div>
      {(sheet === 'cancel' || sheet === 'elsewhere') && (
        <Sheet key={sheet} title={sheet === 'cancel' ? texts.backTo : texts.elsewhere} onClose={close}>
          {fault.value !== null && <LegacyRefusal fault={fault.value} />}
          <LocationButtons onLocation={(code) => void (sheet === 'cancel' ? cancel(code) : complete(code))} />
        </Sheet>
      )}
      {typeof sheet === 'object' && sheet.location !== destination && (
        <OtherPlace
          key={sheet.location}
          task={task}
          location={sheet.location}
          fault={fault.value}
          onSetDown={() => void complete(sheet.location)}
          onClose={close}
        />
      )}
    </>
  );
}

/**
 * Asks where the coil goes if another place was scanned than the task names; its own place only closes what is open. While
 * the sheet of a cancellation asks where the coil goes, a scan changes nothing.
 */
async function hear(code: string, task: Task, asked: Asked, ask: (next: Asked) => void): Promise<void> {
  const scanned = await lookUp(code);
  if (scanned === null) return;
  const location = scannedLocation(scanned);
  if (location === null) return tellUnexpected(scanned);
  if (asked === 'cancel') return tellSheetIsOpen(location);
  ask(location === task.destinationLocation ? 'nothing' : { location });
}
