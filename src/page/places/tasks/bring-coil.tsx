import { useSignal } from '@preact/signals';
import type { Outcome } from '../../api/call.ts';
import { goUnlessElsewhere } from '../../app/route.ts';
import { Sheet } from '../../app/sheet.tsx';
import type { Fault } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { stepTask, type Task } from '../../plant/tasks.ts';
import { lookUp, tellSheetIsOpen, tellUnexpected } from '../../scan/scanned.ts';
import { useScan } from '../../scan/use-scan.ts';
import { Icon } from '../../show/icon.tsx';
import { LegacyRefusal, legacyFault } from '../../show/legacy-refusal.tsx';
import { OnItsWay } from '../../show/on-its-way.tsx';
import { words } from '../../words/words.ts';
import { LocationButtons } from '../coils/location-buttons.tsx';
import { locationName, scannedLocation, TaskRoute } from './task-route.tsx';

/** A place: it was scanned, and is not the one that the task names. */
type Asked = 'nothing' | 'elsewhere' | 'cancel' | { readonly location: string };

/**
 * The last step of a task: the driver brings the coil and confirms its arrival. The legacy system gets the new location
 * first, and a failure is shown at once.
 */
export function BringCoil({ task }: { readonly task: Task }) {
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
    showDone(done);
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
      <OtherWays onAsk={ask} />
      {sheet !== 'nothing' && (
        <WhereTo
          key={typeof sheet === 'object' ? sheet.location : sheet}
          task={task}
          asked={sheet}
          fault={fault.value}
          onLocation={(code) => void (sheet === 'cancel' ? cancel(code) : complete(code))}
          onClose={close}
        />
      )}
    </>
  );
}

function OtherWays({ onAsk }: { readonly onAsk: (asked: Asked) => void }) {
  const { elsewhere, cancelTask } = words.value.tasks;
  return (
    <div class="row">
      <button type="button" class="btn grow" onClick={() => onAsk('elsewhere')}>
        {elsewhere}
      </button>
      <button type="button" class="btn grow" onClick={() => onAsk('cancel')}>
        {cancelTask}
      </button>
    </div>
  );
}

interface WhereToProps {
  readonly task: Task;
  readonly asked: Exclude<Asked, 'nothing'>;
  readonly fault: Fault | null;
  readonly onLocation: (code: string) => void;
  readonly onClose: () => void;
}

/** The sheet that asks where the coil goes. */
function WhereTo({ task, asked, fault, onLocation, onClose }: WhereToProps) {
  const { backTo, elsewhere } = words.value.tasks;
  if (typeof asked === 'string') {
    return (
      <Sheet title={asked === 'cancel' ? backTo : elsewhere} onClose={onClose}>
        {fault !== null && <LegacyRefusal fault={fault} />}
        <LocationButtons onLocation={onLocation} />
      </Sheet>
    );
  }
  const { location } = asked;
  // The office may have made it the place of the task meanwhile.
  if (location === task.destinationLocation) return null;
  return (
    <OtherPlace
      task={task}
      location={location}
      fault={fault}
      onSetDown={() => onLocation(location)}
      onClose={onClose}
    />
  );
}

interface OtherPlaceProps {
  readonly task: Task;
  /** The place that was scanned. */
  readonly location: string;
  /** The reason why the coil was not set down here at the last try. */
  readonly fault: Fault | null;
  readonly onSetDown: () => void;
  readonly onClose: () => void;
}

/** Another place was scanned than the task names: the coil goes on to the task's place, or is set down here. */
function OtherPlace({ task, location, fault, onSetDown, onClose }: OtherPlaceProps) {
  const { tasks: texts } = words.value;
  const { destinationLocation, selectedCoilId } = task;
  return (
    <Sheet title={texts.isNotPlace(location, destinationLocation)} onClose={onClose}>
      {fault !== null && <LegacyRefusal fault={fault} />}
      <table class="table">
        <tbody>
          <Row of={texts.wanted} code={destinationLocation} />
          <Row of={texts.scanned} code={location} isOther />
        </tbody>
      </table>
      <p class="bold">{texts.whereTo(selectedCoilId ?? '')}</p>
      <button type="button" class="btn btn-main btn-wide" onClick={onClose}>
        <Icon name="arrow" />
        {texts.goOnTo(destinationLocation)}
      </button>
      <button type="button" class="btn btn-wide" onClick={onSetDown}>
        <Icon name={fault === null ? 'check' : 'retry'} />
        {texts.setDownAt(location)}
      </button>
      <p class="dim">{texts.legacyFirst}</p>
    </Sheet>
  );
}

function Row({
  of,
  code,
  isOther = false,
}: {
  readonly of: string;
  readonly code: string;
  readonly isOther?: boolean;
}) {
  return (
    <tr>
      <td class="dim">{of}</td>
      <td class={isOther ? 'bold other-place' : ''}>
        {isOther && <Icon name="warn-line" />} {code}
      </td>
      <td class={isOther ? 'bold other-place' : ''}>{locationName(code)}</td>
    </tr>
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
