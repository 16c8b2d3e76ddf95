import { useSignal } from '@preact/signals';
import { goUnlessElsewhere } from '../../app/route.ts';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { type Coil, readCoil } from '../../plant/coils.ts';
import { reasonCodes, stepTask, type Task } from '../../plant/tasks.ts';
import { lookUp, sinceThisScan, tellUnexpected } from '../../scan/scanned.ts';
import { useScan } from '../../scan/use-scan.ts';
import { Icon } from '../../show/icon.tsx';
import { measure } from '../../show/measure.ts';
import { words } from '../../words/words.ts';

type Asked = 'nothing' | 'cannot' | 'typed' | Coil;

/** Waits for the label of the coil. The preferred coil goes on at once, another asks why. */
export function ScanCoil({ task }: { readonly task: Task }) {
  const asked = useSignal<Asked>('nothing');
  const { tasks: texts } = words.value;
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
        <b>{texts.scanLabel}</b>
        <span class="dim">{texts.scanHint}</span>
      </section>
      <div class="row">
        <Choice label={texts.cannot} onPress={() => (asked.value = 'cannot')} />
        <Choice label={texts.release} onPress={() => void release(task)} />
        <Choice label={texts.typeNumber} onPress={() => (asked.value = 'typed')} />
      </div>
      {asked.value === 'cannot' && <ReasonSheet task={task} onClose={close} />}
      {asked.value === 'typed' && (
        <Sheet title={texts.typeNumber} onClose={close}>
          <TypedCode label={texts.coilNumber} onCode={(code) => void hear(code)} />
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
  showDone(words.value.tasks.released(taskId), '', () =>
    stepTask(taskId, { type: 'inProcess', body: { userName } }).then(isDone),
  );
}

/** A code by hand, for a label that no scanner reads. */
function TypedCode({ label, onCode }: { readonly label: string; readonly onCode: (code: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const code = String(new FormData(event.currentTarget).get('code')).trim();
    if (code !== '') onCode(code);
    // Another code replaces this one.
    event.currentTarget.querySelector('input')?.select();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label class="find">
        <Icon name="coil" />
        <span class="sr">{label}</span>
        <input name="code" autocomplete="off" placeholder={label} required />
      </label>
      <button type="submit" class="btn btn-main">
        {words.value.goOn}
      </button>
    </form>
  );
}

/** Asks for the reason why a task cannot be done. The office sees it; the state of the task does not change. */
function ReasonSheet({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const { whyNot, officeSees, noReasons, reported } = words.value.tasks;
  const codes = reasonCodes.value.filter(({ codeSet }) => codeSet === 'UnattainableReasons');
  const report = async (unattainableCode: string, reason: string) => {
    const goOn = goUnlessElsewhere();
    if (!isDone(await stepTask(task.taskId, { type: 'unattainable', body: { unattainableCode } }))) return;
    onClose();
    goOn({ place: 'tasks' });
    showDone(reported(task.taskId), reason);
  };
  return (
    <Sheet title={whyNot} onClose={onClose}>
      <div class="reasons">
        {codes.map(({ id, reason }) => (
          <button type="button" class="reason" key={id} onClick={() => void report(id, reason)}>
            <Icon name="search" />
            <span>{reason}</span>
          </button>
        ))}
      </div>
      <p class="dim">{codes.length === 0 ? noReasons : officeSees}</p>
    </Sheet>
  );
}

interface OtherCoilProps {
  readonly task: Task;
  readonly coil: Coil;
  readonly onClose: () => void;
  /** Goes on with this coil, for this reason. Without preferred coils none is asked. */
  readonly onReason: (coilId: string, reason: string | null) => void;
}

/** Another coil than the preferred one: how it differs, and why this one. */
function OtherCoil({ task, coil, onClose, onReason }: OtherCoilProps) {
  const { tasks: texts } = words.value;
  const isAnyPreferred = task.preferredCoilIds.length > 0;
  const reasons = reasonCodes.value.filter(({ codeSet }) => codeSet === 'OverrideReasons');
  return (
    <Sheet title={isAnyPreferred ? texts.otherCoil(coil.coilId) : coil.coilId} onClose={onClose}>
      <Comparison task={task} coil={coil} />
      {isAnyPreferred && reasons.length > 0 ? (
        <>
          <p class="bold">{texts.whyThis}</p>
          <div class="reasons">
            {reasons.map(({ id, reason }) => (
              <button type="button" class="reason" key={id} onClick={() => onReason(coil.coilId, id)}>
                <Icon name="coil-x" />
                <span>{reason}</span>
              </button>
            ))}
          </div>
        </>
      ) : (
        <button type="button" class="btn btn-wide" onClick={() => onReason(coil.coilId, null)}>
          {texts.takeThis}
        </button>
      )}
      <button type="button" class="btn btn-main btn-wide" onClick={onClose}>
        <Icon name="scan" />
        {texts.scanAnother}
      </button>
    </Sheet>
  );
}

function Comparison({ task: { coilType, requiredFt }, coil }: Pick<OtherCoilProps, 'task' | 'coil'>) {
  const { tasks: texts, units } = words.value;
  const kindOf = (gauge: number | null, color: string | null) =>
    [gauge === null ? '' : `${gauge} ${units.gauge}`, color ?? ''].join(' ').trim();
  const width = (inches: number | null) => measure(inches, 'in', 4);
  const length = (feet: number | null) => measure(feet, 'ft');
  const left = coil.lengthRemainingFt;
  return (
    <table class="table">
      <thead>
        <tr>
          <th>
            <span class="sr">{texts.ofTheCoil}</span>
          </th>
          <th>{texts.wanted}</th>
          <th>{texts.scanned}</th>
        </tr>
      </thead>
      <tbody>
        <Row of={texts.type} wanted={kindOf(coilType.gauge, coilType.color)} scanned={kindOf(coil.gauge, coil.color)} />
        <Row of={texts.width} wanted={width(coilType.widthIn)} scanned={width(coil.widthIn)} />
        <tr>
          <td class="dim">{texts.leftOnIt}</td>
          <td class="num">{texts.atLeast(length(requiredFt))}</td>
          <td class={left !== null && left < requiredFt ? 'bold num' : 'num'}>{length(left)}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Row({ of, wanted, scanned }: { readonly of: string; readonly wanted: string; readonly scanned: string }) {
  const differs = wanted !== scanned;
  return (
    <tr>
      <td class="dim">{of}</td>
      <td class="num">{wanted}</td>
      <td class={differs ? 'bold num' : 'num'}>
        {differs && <Icon name="warn-line" />} {scanned}
      </td>
    </tr>
  );
}
