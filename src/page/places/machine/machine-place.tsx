import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TroubleView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import { mayRead } from '../../people/who.ts';
import { machineCount, machineOf } from '../../plant/machines.ts';
import { firstFailing, type Machine, shownState } from '../../plant/shown-state.ts';
import { lateTasks } from '../../plant/tasks.ts';
import { now } from '../../show/clock.ts';
import { age, timeToTheSecond } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { senderName } from '../../show/sender.ts';
import { TroubleText } from '../../show/trouble-text.tsx';
import { words } from '../../words/words.ts';
import { lastAndon } from '../andon/choice.ts';
import { soonReason } from '../andon/why.ts';
import { StopHistory } from '../production/log/stop-history.tsx';
import { Curves } from './curves.tsx';
import { LastMessage } from './last-message.tsx';
import { Production } from './production.tsx';
import { RuleLadder } from './rule-ladder.tsx';
import { ShiftCounters } from './shift-counters.tsx';
import { Timeline } from './timeline.tsx';

/** One machine: whether it may run, the first rule that fails with its remedy, and its production and history. */
export function MachinePlace({ machineId }: { readonly machineId: string }) {
  const machine = machineOf(machineId);
  const back = { to: lastAndon(), label: words.value.places.andon };
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

function answerOf({ name, decision, fault }: Machine): string {
  const { may, mayNot } = words.value.machine;
  if (!decision.runEnabled) return mayNot(name);
  return fault ? `${may(name)}. ${words.value.andon.faultReported}` : may(name);
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

/** The machine's part, job and operator. */
function PartAndJob({ machine: { machineId, part, status } }: { readonly machine: Machine }) {
  const { part: title, changePart, choosePart } = words.value.machine;
  const isNamed = part !== null && part.partName !== null && part.partName !== part.partId;
  const about = [isNamed ? part.partId : null, status?.jobNumber, status?.userId].filter(
    (one) => one !== undefined && one !== null,
  );
  return (
    <section class="pane" aria-label={title}>
      <div class="row row-flat">
        <div class="grow">
          <span class="small dim">{title}</span>
          <br />
          <b class="h3">{part?.partName ?? part?.partId ?? words.value.andon.noPart}</b>
          <br />
          <span class="dim">{about.join(' · ')}</span>
        </div>
        {part?.isNew && mayRead('supervisor') && (
          <Link to={{ place: 'admin', tab: 'parts', form: part.partId }} class="btn">
            {words.value.plantData.nameIt}
          </Link>
        )}
        <Link to={{ place: 'part', machineId }} class="btn">
          {part === null ? choosePart : changePart}
        </Link>
      </div>
    </section>
  );
}

/** Fault and override stand apart from the rules: neither changes the decision. */
function FaultAndOverride({ machine }: { readonly machine: Machine }) {
  const { fault, faultSince, override, overrideSince } = machine;
  const texts = words.value.machine;
  return (
    <section class="pane" aria-label={`${texts.fault}, ${texts.override}`}>
      <div class="row row-flat">
        {fault ? (
          <span class="state state-red-line">
            <Icon name="fault" />
            {texts.fault}
          </span>
        ) : (
          <Calm text={texts.noFault} />
        )}
        <span class="bold num">{fault ? ageSince(faultSince) : ''}</span>
      </div>
      {fault && <p>{texts.faultMeans}</p>}
      {fault && <StopHistory machineId={machine.machineId} reasonId={null} before={faultSince} upTo={null} />}
      <hr class="rule rule-small" />
      <div class="row row-flat">
        {override ? (
          <span class="state state-override">
            <Icon name="override" />
            {texts.override}
          </span>
        ) : (
          <Calm text={texts.noOverride} />
        )}
        <span class="dim">{override ? `${texts.pastRules} ${ageSince(overrideSince)}` : texts.byRules}</span>
      </div>
    </section>
  );
}

function Calm({ text }: { readonly text: string }) {
  return (
    <span class="state state-calm">
      <Icon name="check" />
      {text}
    </span>
  );
}

function ageSince(since: string | null): string {
  return since === null ? '' : age(now.value - Date.parse(since));
}

const SHOWN = 8;
const SHOWN_MS = 60 * 60_000;

/** For PLC people: what went wrong between the device and the gateway in the last hour, each with its remedy. */
function MachineTroubles({ machineId }: { readonly machineId: string }) {
  const troubles = useSignal<readonly TroubleView[]>([]);
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const path = `/machines/${encodeURIComponent(machineId)}/troubles`;
      const outcome = await call<{ readonly troubles: readonly TroubleView[] }>('GET', path);
      if (outcome.kind === 'done' && !isGone) troubles.value = outcome.value.troubles;
    };
    void load();
    const stopped = [onEvent('diagnostics', load), onEvent('reset', load)];
    return () => {
      isGone = true;
      for (const stop of stopped) stop();
    };
  }, [machineId, troubles]);
  const recent = troubles.value.filter(({ lastAt }) => now.value - Date.parse(lastAt) < SHOWN_MS).slice(0, SHOWN);
  const { sync, machine: texts } = words.value;
  if (recent.length === 0) return null;
  return (
    <section class="pane" aria-label={texts.troubles}>
      <h2 class="h3">{texts.troubles}</h2>
      <dl class="facts facts-log">
        {recent.map(({ kind, subject, detail, count, lastAt, address, isCertain }) => (
          <div class="fact" key={`${kind} ${subject} ${detail}`}>
            <dt>
              {timeToTheSecond(lastAt)} {senderName(subject)}{' '}
              {address !== null && !subject.includes(address) && address} {count > 1 && `${count} ×`}
            </dt>
            <dd>
              <p>
                {sync.kindOf(kind)}
                {!isCertain && <span class="dim"> {texts.perhapsThis}</span>}
              </p>
              <TroubleText kind={kind} meantFor={null} details={[detail]} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
