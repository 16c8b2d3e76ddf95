import type { ReportView, SumsView } from '../../../../flows/production/production-views.ts';
import type { StopLogView } from '../../../../flows/production/stop-log-view.ts';
import { call } from '../../../api/call.ts';
import { useResource } from '../../../app/use-resource.ts';
import { now } from '../../../show/clock.ts';
import { words } from '../../../words/words.ts';
import { LogLines } from '../../production/log/log-lines.tsx';
import { SumsTable } from '../../production/sums-table.tsx';
import { Lanes } from '../../production/timelines-view.tsx';
import { fleetWords } from '../fleet-words.ts';

/** The newest lines of the log. */
const LINES = 20;
const REFRESHED = { everyMs: 60_000 };

interface MachineCourseProps {
  readonly gatewayId: string;
  readonly machineId: string;
  readonly scope: string;
  readonly days: ReportView<SumsView>;
}

/** One machine of a gateway: its last day, its production days, and its newest stops. */
export function MachineCourse({ gatewayId, machineId, scope, days }: MachineCourseProps) {
  const path = `/production/log?${scope}&limit=${LINES}`;
  const log = useResource(path, () => call<StopLogView>('GET', path), REFRESHED).value;
  const texts = words.value.production;
  const own = fleetWords.value.production;
  const machine = `/gateways/${encodeURIComponent(gatewayId)}/machines/${encodeURIComponent(machineId)}`;
  const name = log?.rows[0]?.machineName ?? machineId;
  return (
    <>
      <section class="pane" aria-label={own.timeline}>
        <h2 class="h3 head">
          {name} <span class="dim normal">{`${gatewayId}/${machineId}`}</span>
        </h2>
        <Lanes machines={[{ path: machine, name: own.timeline, to: null }]} toMs={now.value} />
      </section>
      <SumsTable
        report={{ ...days, rows: [] }}
        title={own.title}
        column={texts.machine}
        all={name}
        nameOf={() => null}
        noteOf={() => ''}
        stopsOf={() => null}
      />
      {log !== null && log.rows.length > 0 && <LogLines rows={log.rows} isOwn={false} />}
    </>
  );
}
