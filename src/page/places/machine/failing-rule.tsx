import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GatewayAddresses, SystemView } from '../../../flows/local-api/system-ports.ts';
import { call } from '../../api/call.ts';
import { mayRead } from '../../people/who.ts';
import { answering, machineCount } from '../../plant/machines.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { age, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';

interface FailingRuleProps {
  readonly machine: Machine;
  readonly rule: Machine['rules'][number];
}

/** The remedy for a cause, in the language of the page (D-35). */
function Help({ machine: { decision } }: { readonly machine: Machine }) {
  return decision.cause === null ? null : <p>{words.value.machine.help[decision.cause.kind]}</p>;
}

/** The rule that holds the machine, its message to the letter, and its remedy. */
export function FailingRule({ machine, rule }: FailingRuleProps) {
  const message = words.value.machine.rule(rule.rule, rule.message);
  if (machine.decision.cause?.kind === 'messagesRefused')
    return <MessagesRefused cause={machine.decision.cause} message={message} />;
  if (machine.decision.cause?.kind === 'neverHeard') return <NeverHeard machine={machine} message={message} />;
  switch (rule.rule) {
    case 'power':
      return <PowerIsOff machine={machine} message={message} />;
    case 'part':
      return <NoPart machine={machine} message={message} />;
    case 'responding':
      return <NotResponding machine={machine} message={message} />;
    case 'downtime':
      return <NoReason machine={machine} message={message} />;
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
  const texts = words.value.machine;
  return (
    <li class="rung rung-fail rung-note">
      <Said
        icon="silent"
        message={message}
        since={lastStatusAt === null ? texts.neverHeard : texts.notHeard(age(now.value - Date.parse(lastStatusAt)))}
      />
      {machine.decision.cause?.kind !== 'silent' && <Help machine={machine} />}
      <ol class="checklist">
        <li>
          <span>{texts.checkController}</span>
          <span />
        </li>
        <li>
          <span>{texts.checkCable}</span>
          <span class="dim">{(machineCount.value ?? 0) > 1 && texts.othersAnswer(answering.value)}</span>
        </li>
        <li>
          <span>{texts.checkAddress}</span>
          <span class="dim">
            <code>{`${topicRoot}/status`}</code>
          </span>
        </li>
      </ol>
    </li>
  );
}

/** No message of the device came yet: shows the addresses that it should use, and a line to try them by hand. */
function NeverHeard({ machine, message }: MessageProps) {
  const addresses = useSignal<SystemView['addresses']>(null);
  useEffect(() => {
    // Viewers may not read the ports.
    if (!mayRead('technician')) return;
    void call<SystemView>('GET', '/system').then((outcome) => {
      if (outcome.kind !== 'done') return;
      const told = outcome.value.addresses;
      if (told?.mqttPort !== null) addresses.value = told;
    });
  }, [addresses]);
  const texts = words.value.machine;
  return (
    <li class="rung rung-fail rung-note">
      <Said icon="silent" message={texts.noMessageYet} since={texts.countsAs(message)} />
      <ol class="checklist checklist-tall">
        {addresses.value !== null && (
          <li>
            <span>{texts.sendsTo}</span>
            <code>{`mqtt://${location.hostname}:${addresses.value.mqttPort}`}</code>
          </li>
        )}
        <li>
          <span>{texts.sendsOn}</span>
          <code>{`${machine.topicRoot}/status`}</code>
        </li>
        <li>
          <span>{texts.orHttp}</span>
          <code>{`POST ${location.origin}/api/device/status`}</code>
        </li>
      </ol>
      {addresses.value !== null && (
        <>
          <p>{texts.tryIt}</p>
          <pre class="raw">{tryLine(machine, addresses.value)}</pre>
        </>
      )}
      <div class="do">
        <a class="btn btn-wide" href="/docs#machine">
          {texts.connect}
        </a>
      </div>
    </li>
  );
}

function tryLine({ machineId, topicRoot }: Machine, { mqttPort, mqttAccess }: GatewayAddresses): string {
  const id = mqttAccess === 'open' ? '' : ` -i ${machineId}`;
  const login = mqttAccess === 'password' ? `${id} -u ${machineId} -P PASSWORD` : id;
  const counters = '"mSecSinceBoot":1000,"cycle":1,"goodPart":1,"badPart":0,"partId":"P-100"';
  const status = `{"machineId":"${machineId}","running":true,"machinePower":true,"override":false,${counters}}`;
  return `mosquitto_pub -h ${location.hostname} -p ${mqttPort}${login} -q 1 -t ${topicRoot}/status -m '${status}'`;
}

/** A machine, and the message of the rule that holds it. */
interface MessageProps {
  readonly machine: Machine;
  readonly message: string;
}

interface SaidProps {
  readonly icon: string;
  readonly message: string;
  readonly since: string;
}

/** The message of a rule to the letter, and the time since when it holds the machine. */
function Said({ icon, message, since }: SaidProps) {
  return (
    <div class="said">
      <Icon name={icon} />
      <div>
        <p class="msg">{message}</p>
        <p class="since">{since}</p>
      </div>
    </div>
  );
}
