import { HOUR_MS } from '../../../../domain/time.ts';
import type { LogLineView, StopLogView } from '../../../../flows/production/stop-log-view.ts';
import { call } from '../../../api/call.ts';
import { useResource } from '../../../app/use-resource.ts';
import { presentShift } from '../../../plant/machines.ts';
import { now } from '../../../show/clock.ts';
import { duration, timeOrDay, workTime } from '../../../show/format.ts';
import { Link } from '../../../show/link.tsx';
import { words } from '../../../words/words.ts';
import { variablesRoute } from '../../variables/choice.ts';
import { daysOf, productionRoute, START } from '../choice.ts';

const SHOWN = 5;
/** The time after the beginning of a line up to which its variables are shown. */
const SHOWN_AFTER_MS = HOUR_MS;
/** Lines of the same day may have begun after the line whose history is shown. */
const ASKED = 50;

/** Whether the same has come before on the machine: when, for how long, and what was done (D-86). */
export function LineHistory({ row }: { readonly row: LogLineView }) {
  const { machineId, reasonId, faultSeconds, startedAt, shiftDate } = row;
  const { noReasonNoHistory, variablesThen } = words.value.production;
  const toMs = Date.parse(startedAt) + SHOWN_AFTER_MS;
  return (
    <>
      {reasonId === null && faultSeconds === 0 ? (
        <p class="dim">{noReasonNoHistory}</p>
      ) : (
        <StopHistory machineId={machineId} reasonId={reasonId} before={startedAt} upTo={shiftDate} />
      )}
      <Link to={variablesRoute(machineId, { toMs: toMs < now.value ? toMs : null })} class="btn">
        {variablesThen}
      </Link>
    </>
  );
}

interface HistoryProps {
  readonly machineId: string;
  /** Null: the faults of the machine. */
  readonly reasonId: string | null;
  /** Only what began before this time; null: all. */
  readonly before: string | null;
  /** The last production day; null: today. */
  readonly upTo: string | null;
}

/** One reason of a machine, or its faults, in 90 days: how often, how long, and the last repairs. */
export function StopHistory({ machineId, reasonId, before, upTo }: HistoryProps) {
  const texts = words.value.production;
  const { from, to } = daysOf('90d', upTo ?? presentShift.value?.shiftDate ?? '');
  const asked = reasonId === null ? 'part=faults' : `reasonId=${encodeURIComponent(reasonId)}`;
  const path = `/production/log?from=${from}&to=${to}&machineId=${encodeURIComponent(machineId)}&${asked}&limit=${ASKED}`;
  const log = useResource(path, () => call<StopLogView>('GET', path)).value;
  if (log === null) return <p class="dim">{words.value.trouble.waits}</p>;
  const earlier = log.rows.filter(({ startedAt }) => before === null || startedAt < before);
  if (earlier.length === 0) return <p class="dim">{texts.neverBefore}</p>;
  const by = reasonId ?? 'faults';
  return (
    <>
      <p>{texts.cameBefore(log.total.count, workTime(log.total.seconds))}</p>
      <ul class="hit-list">
        {earlier.slice(0, SHOWN).map((row) => (
          <li key={row.startedAt}>
            <b>{timeOrDay(row.startedAt)}</b>
            <span class="num">{duration(row.seconds * 1_000)}</span>
            <span>{whatWasDone(row, reasonId === null)}</span>
          </li>
        ))}
      </ul>
      <Link to={productionRoute({ view: 'log', period: '90d', machines: machineId, by }, START)} class="btn">
        {texts.allInLog}
      </Link>
    </>
  );
}

function whatWasDone(row: LogLineView, isNamed: boolean): string {
  const { note, userName } = row;
  return [isNamed ? lineName(row) : null, note ?? words.value.production.noNote, userName]
    .filter((text) => text !== null)
    .join(', ');
}

/** Its reason, or what it is without one. */
export function lineName({ downtimeId, reason, reasonId }: LogLineView): string {
  const { faultSignal, noReasonYet } = words.value.production;
  return reason ?? reasonId ?? (downtimeId === null ? faultSignal : noReasonYet);
}
