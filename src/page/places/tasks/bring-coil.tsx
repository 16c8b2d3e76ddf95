import { type Signal, useSignal } from '@preact/signals';
import type { Outcome } from '../../api/call.ts';
import { goUnlessElsewhere } from '../../app/route.ts';
import { Sheet } from '../../app/sheet.tsx';
import type { Fault } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { stepTask, type Task } from '../../plant/tasks.ts';
import { lookUp, tellSheetIsOpen, tellUnexpected } from '../../scan/scanned.ts';
import { useScan } from '../../scan/use-scan.ts';
import { Icon } from '../../show/icon.tsx';
import { LegacyRefusal, legacyFault } from '../../show/legacy-refusal.tsx';
import { OnItsWay } from '../../show/on-its-way.tsx';
import { words } from '../../words/words.ts';
import { LocationButtons } from '../coils/location-buttons.tsx';
import { scannedLocation, TaskRoute } from './task-route.tsx';

type Asked = 'nothing' | 'elsewhere' | 'cancel';

/**
 * The last step of a task: the driver brings the coil and confirms its arrival. The legacy system gets the new location
 * first, and a failure is shown at once.
 */
export function BringCoil({ task }: { readonly task: Task }) {
  const asked = useSignal<Asked>('nothing');
  /** The location that was scanned; null: the task's own destination counts, which the office may still change. */
  const scanned = useSignal<string | null>(null);
  const destination = scanned.value ?? task.destinationLocation;
  const fault = useSignal<Fault | null>(null);
  const isBusy = useSignal(false);
  const { tasks: said } = words.value;
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
      said.isAt(task.selectedCoilId ?? '', location),
    );
  const cancel = (location: string) =>
    write(
      () => stepTask(task.taskId, { type: 'cancel', body: { coilId: task.selectedCoilId ?? '', location } }),
      said.cancelled(task.taskId, location),
    );
  useScan((code) => void hear(code, scanned, asked.value, close));
  const arrivalFault = asked.value === 'nothing' ? fault.value : null;
  return (
    <>
      {arrivalFault !== null && <LegacyRefusal fault={arrivalFault} />}
      {task.selectedCoilId !== null && <OnItsWay coilId={task.selectedCoilId} fault={fault} />}
      <section class="pane stack">
        <TaskRoute task={{ ...task, destinationLocation: destination }} />
        <button
          type="button"
          class="btn btn-main btn-wide"
          disabled={isBusy.value}
          onClick={() => void complete(destination)}
        >
          <Icon name={arrivalFault === null ? 'check' : 'retry'} />
          {arrivalFault === null ? said.arrive(destination) : said.tryAgain}
        </button>
        <p class="dim">{arrivalFault === null ? said.legacyFirst : said.nothingWaits}</p>
      </section>
      <div class="row">
        <button type="button" class="btn grow" onClick={() => ask('elsewhere')}>
          {said.elsewhere}
        </button>
        <button type="button" class="btn grow" onClick={() => ask('cancel')}>
          {said.cancelTask}
        </button>
      </div>
      {asked.value !== 'nothing' && (
        <Sheet title={asked.value === 'cancel' ? said.backTo : said.elsewhere} onClose={close}>
          {fault.value !== null && <LegacyRefusal fault={fault.value} />}
          <LocationButtons onLocation={(code) => void (asked.value === 'cancel' ? cancel(code) : complete(code))} />
        </Sheet>
      )}
    </>
  );
}

/**
 * Takes a scanned location as the destination of the coil. While the sheet of a cancellation asks where the coil goes,
 * a scan changes nothing.
 */
async function hear(code: string, destination: Signal<string | null>, asked: Asked, close: () => void): Promise<void> {
  const scanned = await lookUp(code);
  if (scanned === null) return;
  const location = scannedLocation(scanned);
  if (location === null) return tellUnexpected(scanned);
  if (asked === 'cancel') return tellSheetIsOpen(location);
  destination.value = location;
  close();
}
