import type { LiveMachine } from '../../plant/live-machine.ts';
import { firstFailing, type Machine } from '../../plant/shown-state.ts';
import type { Task } from '../../plant/tasks.ts';
import { timeOrDate, timeToTheSecond } from '../../show/format.ts';
import { words } from '../../words/words.ts';

/** The reason of the shown state: the message of the rule to the letter, and its cause in a sentence. */
export function reasonOf(live: LiveMachine): string {
  const [machine, state, lateTask] = [live.machine.value, live.state.value, live.lateTask.value];
  const { andon } = words.value;
  const held = whyHeld(machine);
  switch (state) {
    case 'override':
      return held === '' ? andon.pastNoRule : andon.runsPast(held);
    case 'soon':
      return soonReason(machine, lateTask);
    case 'fault':
      return sentences(andon.faultReported, held);
    case 'faultRunning':
      return andon.faultWhileRunning;
    default:
      return sentences(held, machine.fault ? andon.faultReported : '');
  }
}

/** The reason for a wall, which is read from 8 m: the message of the rule is enough where a person has to go there anyway. */
export function shortReasonOf(live: LiveMachine): string {
  const [machine, state] = [live.machine.value, live.state.value];
  const message = ruleText(machine);
  if (message === '') return reasonOf(live);
  if (state === 'held') return message;
  if (state === 'override') return words.value.andon.runsPast(message);
  const { cause } = machine.decision;
  return cause?.kind === 'messagesRefused'
    ? sentences(message, words.value.andon.refused(cause.count))
    : reasonOf(live);
}

/** The message of the first rule that fails, and the cause behind it; empty: the machine may run. */
function whyHeld(machine: Machine): string {
  return sentences(ruleText(machine), causeText(machine) ?? '');
}

/** The message of the first rule that fails, in the language of the page; '' if none fails. */
function ruleText(machine: Machine): string {
  const failing = firstFailing(machine);
  return failing === null ? '' : words.value.machine.rule(failing.rule, failing.message);
}

function sentences(...texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text) => text.replace(/\.$/, ''))
    .join('. ');
}

/** Why a person should look soon at a machine that runs. */
export function soonReason({ part }: Machine, lateTask: Task | null): string {
  const { andon } = words.value;
  if (lateTask !== null) return andon.lateCoil(lateTask.taskId, timeOrDate(lateTask.requiredDate));
  if (part?.isNew) return andon.newPart(part.partName ?? part.partId);
  return andon.late;
}

/** The cause behind the message of a rule, in the language of the page (D-35); null: the machine may run. */
export function causeText({ decision: { cause }, lastStatusAt, openDowntime }: Machine): string | null {
  const { andon, machine: said } = words.value;
  switch (cause?.kind) {
    case undefined:
      return null;
    case 'messagesRefused':
      // The first fault is enough here; the place of the machine has all.
      return `${andon.refused(cause.count)}: ${cause.reason.split('; ')[0]}`;
    case 'neverHeard':
      return andon.neverHeard;
    case 'fieldMissing':
      return andon.fieldMissing(cause.field);
    case 'powerOff':
      return andon.powerOff;
    case 'noPart':
      return andon.partNotChosen;
    case 'silent':
      return lastStatusAt === null ? andon.neverHeard : andon.lastHeard(timeToTheSecond(lastStatusAt));
    case 'downtimeOpen':
      return openDowntime !== null && openDowntime.downtimeId === cause.downtimeId
        ? said.nobodySaid(timeOrDate(openDowntime.startedAt))
        : andon.earlierStop;
  }
}
