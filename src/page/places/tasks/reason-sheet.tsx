import { goUnlessElsewhere } from '../../app/route.ts';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { reasonCodes, stepTask, type Task } from '../../plant/tasks.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** Asks for the reason why a task cannot be done. The office sees it; the state of the task does not change. */
export function ReasonSheet({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const { whyNot, officeSees, noReasons, reported } = words.value.tasks;
  const codes = reasonCodes.value.filter(({ codeSet }) => codeSet === 'UnattainableReasons');
  const report = async (unattainableCode: string, reason: string) => {
    const goOn = goUnlessElsewhere();
    if (!isDone(await stepTask(task.taskId, { type: 'unattainable', body: { unattainableCode } }))) return;
    onClose();
    goOn({ place: 'tasks' });
    showToast({ text: reported(task.taskId), more: reason, isRefusal: false, undo: null });
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
