import type { SyncStatus } from '../../../flows/forward/sync-status-ports.ts';
import type { SystemView } from '../../../flows/local-api/system-ports.ts';
import { isCentral } from '../../api/address.ts';
import { type Diagnostics, troublesOf } from '../../plant/diagnostics.ts';
import { answering, machineCount } from '../../plant/machines.ts';
import { now } from '../../show/clock.ts';
import { age, number, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

interface HealthProps {
  readonly status: SyncStatus;
  readonly system: SystemView;
  readonly diagnostics: Diagnostics;
}

/** The parts that the gateway depends on, each with its state in a word. */
export function Health({ status: { upstream }, system, diagnostics }: HealthProps) {
  const { sync: texts } = words.value;
  const { version, uptimeSeconds, disk, legacyAgent, broker } = system;
  const [legacyTrouble] = troublesOf(diagnostics, 'legacyAgent');
  const [jump] = troublesOf(diagnostics, 'clockJump');
  const isAway = upstream.state === 'offline' || upstream.state === 'refused';
  return (
    <section class="health" aria-label={texts.health}>
      {!isCentral && (
        <Cell
          icon={isAway ? 'warn' : 'sync'}
          isWrong={isAway}
          title={texts.central(upstream.state)}
          detail={centralDetail(upstream)}
        />
      )}
      <Cell
        icon="agent"
        isWrong={legacyTrouble !== undefined}
        title={legacyTrouble === undefined ? texts.legacyWell : texts.legacyTrouble(timeOrDate(legacyTrouble.lastAt))}
        detail={legacyTrouble?.detail ?? agentDetail(legacyAgent)}
      />
      {!(isCentral && machineCount.value === 0) && (
        <Cell
          icon="broker"
          isWrong={false}
          title={texts.broker(answering.value, machineCount.value ?? 0)}
          detail={texts.rate(number(broker.inputsPerSecond, 1), number(broker.connections))}
        />
      )}
      <Cell
        icon="disk"
        isWrong={disk.state !== 'ok'}
        title={
          disk.state === 'ok' && disk.freeBytes !== null
            ? texts.diskFree(gigabytes(disk.freeBytes))
            : texts.disk(disk.state)
        }
        detail={diskDetail(disk)}
      />
      <Cell
        icon="clock"
        isWrong={jump !== undefined}
        title={jump === undefined ? texts.clockRight : texts.clockJumped(timeOrDate(jump.lastAt))}
        detail={jump?.detail ?? system.clock.timeZone}
      />
      <Cell
        icon="chip"
        isWrong={false}
        title={`plantgate ${version}`}
        detail={texts.upFor(age(uptimeSeconds * 1_000), system.gatewayId)}
      />
      {system.certificates.map(({ setting, subject, daysLeft, validUntil }) => (
        <Cell
          key={setting}
          icon="key"
          isWrong={daysLeft < SOON_DAYS}
          title={daysLeft < 0 ? texts.certificateOver(setting) : texts.certificate(setting, daysLeft)}
          detail={`${subject}, ${timeOrDate(validUntil)}`}
        />
      ))}
    </section>
  );
}

/** From then on a certificate is a warning. */
const SOON_DAYS = 30;

function centralDetail({ detail, nextTryAt, lastContactAt }: SyncStatus['upstream']): string {
  const { sync: texts } = words.value;
  const next = nextTryAt === null ? null : texts.nextTry(age(Math.max(0, Date.parse(nextTryAt) - now.value)));
  const last = lastContactAt === null ? null : texts.lastContact(timeOrDate(lastContactAt));
  return [detail ?? last, next].filter((text) => text !== null).join('; ');
}

function agentDetail({ lastAnswerAt, answeredInMs }: SystemView['legacyAgent']): string {
  if (lastAnswerAt === null || answeredInMs === null) return '';
  return words.value.sync.answeredIn(number(answeredInMs), timeOrDate(lastAnswerAt));
}

function diskDetail({ databaseBytes, commitMs }: SystemView['disk']): string {
  const { sync: texts } = words.value;
  const size = texts.database(number(databaseBytes / 1_000_000, 1));
  return commitMs === null ? size : `${texts.writesIn(number(commitMs, 1))}, ${size}`;
}

function gigabytes(bytes: number): string {
  return number(bytes / 1e9, bytes < 1e10 ? 1 : 0);
}

interface CellProps {
  readonly icon: string;
  readonly isWrong: boolean;
  readonly title: string;
  readonly detail: string;
}

function Cell({ icon, isWrong, title, detail }: CellProps) {
  return (
    <div class={isWrong ? 'cell cell-warn' : 'cell'}>
      <Icon name={isWrong ? 'warn' : icon} />
      <b>{title}</b>
      <small>{detail}</small>
    </div>
  );
}
