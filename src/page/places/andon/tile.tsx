import { line } from '../../api/live.ts';
import { firstFailing, type Machine, type ShownMachine } from '../../plant/machine-state.ts';
import { shownAsOfMs } from '../../plant/machines.ts';
import { now } from '../../show/clock.ts';
import { age, number, timeOfDay, timeOrDate, timeToTheSecond } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { STATE_BANDS, STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';

/** The machine that needs a person most: filled, with the main action. */
export function WorstTile({ shown }: { readonly shown: ShownMachine }) {
  const { machine } = shown;
  if (line.value.kind === 'cut') return <Tile shown={shown} />;
  return (
    <article class="tile tile-worst on-red">
      <Band shown={shown} />
      <div class="in">
        <h2 class="name">{machine.name}</h2>
        <p class="why">{reasonOf(shown)}</p>
        <Made machine={machine} withPart />
        <Link to={{ place: 'machine', machineId: machine.machineId }} class="btn btn-main btn-wide">
          {words.value.andon.open(machine.name)}
          <Icon name="arrow" />
        </Link>
      </div>
    </article>
  );
}

/** A machine that is not quiet. Old tiles lose their colour, for colour claims "now". */
export function Tile({ shown }: { readonly shown: ShownMachine }) {
  const { machine } = shown;
  const isOld = line.value.kind === 'cut';
  return (
    <Link to={{ place: 'machine', machineId: machine.machineId }} class={isOld ? 'tile old' : 'tile'}>
      <Band shown={shown} />
      <div class="in">
        <h2 class="name">{machine.name}</h2>
        <p class="why">{reasonOf(shown)}</p>
        {isOld && <p class="why">{words.value.trouble.asOf(timeOfDay(shownAsOfMs.value))}</p>}
        <Made machine={machine} withPart={false} />
      </div>
    </Link>
  );
}

function Band({ shown: { state, sinceMs } }: { readonly shown: ShownMachine }) {
  return (
    <div class={`band ${STATE_BANDS[state] ?? ''}`}>
      <Icon name={STATE_ICONS[state]} />
      <span class="w">{words.value.states[state]}</span>
      {sinceMs !== null && <span class="t">{age(now.value - sinceMs)}</span>}
    </div>
  );
}

function Made({ machine: { part, shift }, withPart }: { readonly machine: Machine; readonly withPart: boolean }) {
  const { good, scrap } = words.value.andon;
  return (
    <p class="made">
      {withPart && part !== null && <span>{part.partName ?? part.partId}</span>}
      <span>
        <b>{number(shift.goodParts)}</b> {good}
      </span>
      <span>
        <b>{number(shift.badParts)}</b> {scrap}
      </span>
    </p>
  );
}

/** Why it is shown like this. The messages of the rules are quoted to the letter. */
export function reasonOf({ machine, state, lateTask }: ShownMachine): string {
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

function soonReason({ part }: Machine, lateTask: ShownMachine['lateTask']): string {
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
