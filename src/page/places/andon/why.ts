import type { LiveMachine } from '../../plant/live-machine.ts';
import { firstFailing, type Machine } from '../../plant/shown-state.ts';
import type { Task } from '../../plant/tasks.ts';
import { timeOrDate, timeToTheSecond } from '../../show/format.ts';
import { words } from '../../words/words.ts';

/** The reason of the shown state. Messages of the rules are quoted to the letter. */
export function reasonOf(live: LiveMachine): string {
  const [machine, state, lateTask] = [live.machine.value, live.state.value, live.lateTask.value];
  const { andon } = words.value;
  const message = firstFailing(machine)?.message;
  const cause = state === 'silent' || state === 'off' ? causeText(machine) : null;
  if (cause !== null) return `${message}. ${cause}`;
  switch (state) {
    case 'silent': {
      const heard =
        machine.lastStatusAt === null ? andon.neverHeard : andon.lastHeard(timeToTheSecond(machine.lastStatusAt));
      return `${message ?? ''}. ${heard}`;
    }
    case 'override':
      return message === undefined ? words.value.states.override : andon.runsPast(message);
    case 'soon':
      return soonReason(machine, lateTask);
    case 'fault':
      return andon.faultReported;
    case 'faultRunning':
      return andon.faultWhileRunning;
    default:
      return message ?? '';
  }
}

/** Why a person should look soon at a machine that runs. */
export function soonReason({ part }: Machine, lateTask: Task | null): string {
  const { andon } = words.value;
  if (lateTask !== null) return andon.lateCoil(lateTask.taskId, timeOrDate(lateTask.requiredDate));
  if (part?.isNew) return andon.newPart(part.partName ?? part.partId);
  return andon.late;
}

/** The cause behind the message of a rule, where the message alone misleads (D-35). */
export function causeText({ decision }: Machine): string | null {
  const { andon } = words.value;
  switch (decision.cause?.kind) {
    case 'messagesRefused':
      return andon.refused(decision.cause.count);
    case 'neverHeard':
      return andon.neverHeard;
    case 'fieldMissing':
      return andon.fieldMissing(decision.cause.field);
    default:
      return null;
  }
}
