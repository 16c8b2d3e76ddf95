import { useSignal } from '@preact/signals';
import { goUnlessElsewhere } from '../../app/route.ts';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { type Coil, readCoil } from '../../plant/coils.ts';
import { stepTask, type Task } from '../../plant/tasks.ts';
import { lookUp, sinceThisScan, tellUnexpected } from '../../scan/scanned.ts';
import { useScan } from '../../scan/use-scan.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { OtherCoil } from './other-coil.tsx';
import { ReasonSheet } from './reason-sheet.tsx';
import { TypedCode } from './typed-code.tsx';

type Asked = 'nothing' | 'cannot' | 'typed' | Coil;

/** Waits for the label of the coil. The preferred coil goes on at once, another asks why. */
export function ScanCoil({ task }: { readonly task: Task }) {
  const asked = useSignal<Asked>('nothing');
  const { tasks: said } = words.value;
  const close = () => {
    asked.value = 'nothing';
  };
  const hear = async (code: string) => {
    const coil = await scannedCoil(code);
    if (coil === null) return;
    if (!task.preferredCoilIds.includes(coil.coilId)) asked.value = coil;
    else if (await pickUp(task, coil.coilId, null)) close();
  };
  useScan((code) => void hear(code));
  return (
    <>
      <section class="scan" aria-live="polite">
        <Icon name="scan" />
        <b>{said.scanLabel}</b>
        <span class="dim">{said.scanHint}</span>
      </section>
      <div class="row">
        <Choice label={said.cannot} onPress={() => (asked.value = 'cannot')} />
        <Choice label={said.release} onPress={() => void release(task)} />
        <Choice label={said.typeNumber} onPress={() => (asked.value = 'typed')} />
      </div>
      {asked.value === 'cannot' && <ReasonSheet task={task} onClose={close} />}
      {asked.value === 'typed' && (
        <Sheet title={said.typeNumber} onClose={close}>
          <TypedCode label={said.coilNumber} onCode={(code) => void hear(code)} />
        </Sheet>
      )}
      {typeof asked.value === 'object' && (
        <OtherCoil
          task={task}
          coil={asked.value}
          onClose={close}
          onReason={(coilId, reason) => void pickUp(task, coilId, reason)}
        />
      )}
    </>
  );
}

function Choice({ label, onPress }: { readonly label: string; readonly onPress: () => void }) {
  return (
    <button type="button" class="btn grow" onClick={onPress}>
      {label}
    </button>
  );
}

/** Null: the code names no coil, and the person was told; or the person scanned another code or went elsewhere. */
async function scannedCoil(code: string): Promise<Coil | null> {
  const scanned = await lookUp(code);
  if (scanned === null) return null;
  if (scanned.kind !== 'coil') {
    tellUnexpected(scanned);
    return null;
  }
  const isNewest = sinceThisScan();
  const outcome = await readCoil(scanned.id);
  return isNewest() && isDone(outcome) ? outcome.value : null;
}

async function pickUp(task: Task, coilId: string, overrideReason: string | null): Promise<boolean> {
  return isDone(await stepTask(task.taskId, { type: 'inTransit', body: { coilId, overrideReason } }));
}

/** The task is free for anybody again. */
async function release({ taskId, userName }: Task): Promise<void> {
  const goOn = goUnlessElsewhere();
  if (!isDone(await stepTask(taskId, { type: 'ready', body: {} }))) return;
  goOn({ place: 'tasks' });
  showToast({
    text: words.value.tasks.released(taskId),
    more: '',
    isRefusal: false,
    undo: () => stepTask(taskId, { type: 'inProcess', body: { userName } }).then(isDone),
  });
}
