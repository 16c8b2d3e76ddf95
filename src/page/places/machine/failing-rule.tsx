import { answering, machineCount } from '../../plant/machines.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { age, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { NeverHeard } from './never-heard.tsx';
import { type MessageProps, Said } from './said.tsx';

interface FailingRuleProps {
  readonly machine: Machine;
  readonly rule: Machine['rules'][number];
}

/** The cure for a cause, in the language of the page (D-35). */
function Help({ machine: { decision } }: { readonly machine: Machine }) {
  return decision.cause === null ? null : <p>{words.value.machine.help[decision.cause.kind]}</p>;
}

/** The rule that holds the machine, its message to the letter, and its cure. */
export function FailingRule({ machine, rule }: FailingRuleProps) {
  if (machine.decision.cause?.kind === 'messagesRefused')
    return <MessagesRefused cause={machine.decision.cause} message={rule.message} />;
  if (machine.decision.cause?.kind === 'neverHeard') return <NeverHeard machine={machine} message={rule.message} />;
  switch (rule.rule) {
    case 'power':
      return <PowerIsOff machine={machine} message={rule.message} />;
    case 'part':
      return <NoPart machine={machine} message={rule.message} />;
    case 'responding':
      return <NotResponding machine={machine} message={rule.message} />;
    case 'downtime':
      return <NoReason machine={machine} message={rule.message} />;
  }
}

function NoReason({ machine, message }: MessageProps) {
  const { openDowntime } = machine;
  const { nobodySaid, sayWhy } = words.value.machine;
  return (
    <li class="rung rung-fail on-red">
      <Said
        icon="held"
        message={message}
        since={openDowntime === null ? '' : nobodySaid(timeOrDate(openDowntime.startedAt))}
      />
      <Help machine={machine} />
      <div class="do">
        <Link to={{ place: 'stops', machineId: machine.machineId }} class="btn btn-main btn-wide">
          {sayWhy}
          <Icon name="arrow" />
        </Link>
      </div>
    </li>
  );
}

interface RefusedProps {
  readonly cause: Extract<NonNullable<Machine['decision']['cause']>, { readonly kind: 'messagesRefused' }>;
  readonly message: string;
}

/** The device sends, and each message was refused: shows the fault to correct at the device. */
function MessagesRefused({ cause: { count, since, reason }, message }: RefusedProps) {
  const { refused, help } = words.value.machine;
  return (
    <li class="rung rung-fail rung-note">
      <Said icon="held" message={message} since={refused(count, timeOrDate(since ?? ''))} />
      <p class="bold">{reason}</p>
      <p class="dim">{help.messagesRefused}</p>
    </li>
  );
}

function NoPart({ machine, message }: MessageProps) {
  const { machineId } = machine;
  const { partCleared, choosePart } = words.value.machine;
  return (
    <li class="rung rung-fail on-red">
      <Said icon="held" message={message} since={partCleared} />
      <Help machine={machine} />
      <div class="do">
        <Link to={{ place: 'part', machineId }} class="btn btn-main btn-wide">
          <Icon name="scan" />
          {choosePart}
        </Link>
      </div>
    </li>
  );
}

function PowerIsOff({ machine, message }: MessageProps) {
  const { status, lastStatusAt, decision } = machine;
  const { powerOff, checkSwitch, checkPower, itSays, itSaysNothing, ago, powerMissing } = words.value.machine;
  const kind = decision.cause?.kind;
  const power = status?.machinePower;
  return (
    <li class="rung rung-fail rung-note">
      <Said icon="off" message={message} since={kind === 'fieldMissing' ? powerMissing : powerOff} />
      <Help machine={machine} />
      <ol class="checklist">
        <li>
          <span>{checkSwitch}</span>
          <span class="dim">{lastStatusAt === null ? '' : ago(age(now.value - Date.parse(lastStatusAt)))}</span>
        </li>
        <li>
          <span>{checkPower}</span>
          <span class="dim">{power === undefined ? itSaysNothing : itSays(String(power))}</span>
        </li>
      </ol>
    </li>
  );
}

function NotResponding({ machine, message }: MessageProps) {
  const { lastStatusAt, topicRoot } = machine;
  const said = words.value.machine;
  return (
    <li class="rung rung-fail rung-note">
      <Said
        icon="silent"
        message={message}
        since={lastStatusAt === null ? said.neverHeard : said.notHeard(age(now.value - Date.parse(lastStatusAt)))}
      />
      {machine.decision.cause?.kind !== 'silent' && <Help machine={machine} />}
      <ol class="checklist">
        <li>
          <span>{said.checkController}</span>
          <span />
        </li>
        <li>
          <span>{said.checkCable}</span>
          <span class="dim">{(machineCount.value ?? 0) > 1 && said.othersAnswer(answering.value)}</span>
        </li>
        <li>
          <span>{said.checkAddress}</span>
          <span class="dim">
            <code>{`${topicRoot}/status`}</code>
          </span>
        </li>
      </ol>
    </li>
  );
}
