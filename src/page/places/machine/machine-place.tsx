import { Frame } from '../../app/frame.tsx';
import { machineCount, machineOf } from '../../plant/machines.ts';
import { firstFailing, type Machine, shownState } from '../../plant/shown-state.ts';
import { lateTasks } from '../../plant/tasks.ts';
import { now } from '../../show/clock.ts';
import { age } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { soonReason } from '../andon/why.ts';
import { Curves } from './curves.tsx';
import { FaultAndOverride } from './fault-and-override.tsx';
import { LastMessage } from './last-message.tsx';
import { MachineTroubles } from './machine-troubles.tsx';
import { PartAndJob } from './part-and-job.tsx';
import { Production } from './production.tsx';
import { RuleLadder } from './rule-ladder.tsx';
import { ShiftCounters } from './shift-counters.tsx';
import { Timeline } from './timeline.tsx';

/** One machine: whether it may run, the first rule that fails with its cure, and its production and history. */
export function MachinePlace({ machineId }: { readonly machineId: string }) {
  const machine = machineOf(machineId);
  const back = { to: { place: 'andon' }, label: words.value.places.andon } as const;
  if (machine === undefined) {
    const answer = machineCount.value === null ? words.value.trouble.waits : words.value.machine.unknown;
    return <Frame answer={answer} more={machineId} back={back} children={null} />;
  }
  return (
    <Frame answer={answerOf(machine)} more={stateSentence(machine)} back={back}>
      <div class="cols cols-machine fill">
        <RuleLadder machine={machine} />
        <div class="stack">
          <FaultAndOverride machine={machine} />
          <ShiftCounters machine={machine} />
          <PartAndJob machine={machine} />
        </div>
      </div>
      <Timeline machine={machine} />
      <Production machine={machine} />
      <Curves machine={machine} />
      <MachineTroubles machineId={machineId} />
      <LastMessage machine={machine} />
    </Frame>
  );
}

function answerOf({ name, decision }: Machine): string {
  const { may, mayNot } = words.value.machine;
  return decision.runEnabled ? may(name) : mayNot(name);
}

function stateSentence(machine: Machine): string {
  const { machineId, decisionSince } = machine;
  if (machine.decision.cause?.kind === 'neverHeard') return `${machineId}. ${words.value.machine.noMessageYet}.`;
  const lateTask = lateTasks.value.get(machine.location ?? '') ?? null;
  const state = shownState(machine, now.value, lateTask);
  const stateText = words.value.states[state];
  if (state === 'soon') return `${machineId}. ${stateText}: ${soonReason(machine, lateTask)}.`;
  const isHeld = firstFailing(machine) !== null && decisionSince !== null;
  const held = isHeld ? ` ${words.value.machine.held(age(now.value - Date.parse(decisionSince)))}` : '';
  // "Held. Held for 5 min." says it twice.
  return isHeld && state === 'held' ? `${machineId}.${held}` : `${machineId}. ${stateText}.${held}`;
}
