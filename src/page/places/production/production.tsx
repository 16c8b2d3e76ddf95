import type { ReportView, SumsView } from '../../../flows/production/production-views.ts';
import { Frame } from '../../app/frame.tsx';
import { machineCount, machineName, machineOf } from '../../plant/machines.ts';
import { workTime } from '../../show/format.ts';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { choice, productionRoute, scopeQuery } from './choice.ts';
import { DowntimeView } from './downtime-view.tsx';
import { headline } from './figures.tsx';
import { LogView } from './log/log-view.tsx';
import { PartsView } from './parts-view.tsx';
import { ReliabilityView } from './reliability-view.tsx';
import { ReportPlace } from './report-view.tsx';
import { ShiftsView } from './shifts-view.tsx';
import { SumsTable } from './sums-table.tsx';
import { TimelinesView } from './timelines-view.tsx';
import { useReport, ViewFrame } from './view-frame.tsx';

/** The place Production: what the plant made, and what it cost. */
export function Production() {
  const scope = scopeQuery.value;
  if (scope === null) return <NoShift />;
  switch (choice.value.view) {
    case 'plant':
      return <Plant scope={scope} />;
    case 'downtime':
      return <DowntimeView scope={scope} />;
    case 'shifts':
      return <ShiftsView scope={scope} />;
    case 'parts':
      return <PartsView scope={scope} />;
    case 'reliability':
      return <ReliabilityView scope={scope} />;
    case 'log':
      return <LogView scope={scope} />;
    case 'timelines':
      return <TimelinesView />;
    case 'report':
      return <ReportPlace />;
  }
}

/** The present shift is that of the machines: it is not known until they are loaded, nor without any. */
function NoShift() {
  const { andon, trouble } = words.value;
  if (machineCount.value !== 0) return <Frame answer={trouble.waits} children={null} />;
  return (
    <Frame answer={andon.noMachines}>
      <p class="dim">{andon.noMachinesHint}</p>
    </Frame>
  );
}

function Plant({ scope }: { readonly scope: string }) {
  const report = useReport<SumsView>('sums', `by=machine&${scope}`);
  if (report === null) return <ViewFrame answer={words.value.trouble.waits} file="" children={null} />;
  return (
    <ViewFrame
      answer={headline(report.total, choice.value.period)}
      more={costliest(report)}
      file={`/production/sums?format=csv&by=machine&${scope}`}
      shiftNames={report.shiftNames}
    >
      {report.rows.length === 0 ? <p class="dim">{words.value.production.nothing}</p> : <Machines report={report} />}
    </ViewFrame>
  );
}

function costliest({ total, rows }: ReportView<SumsView>): string {
  const texts = words.value.production;
  const reason = total.topReason ?? total.topReasonId ?? texts.noReasonYet;
  const first = total.topReasonSeconds === 0 ? texts.noStops : texts.costMost(reason, workTime(total.topReasonSeconds));
  const untargeted = rows.filter(({ targetParts }) => targetParts === null).length;
  const more = [
    untargeted > 0 && texts.withoutTarget(untargeted),
    total.unratedPartIds.length > 0 && texts.withoutRate(total.unratedPartIds.length),
  ];
  return [first, ...more.filter((text) => text !== false)].join(' ');
}

function Machines({ report }: { readonly report: ReportView<SumsView> }) {
  const texts = words.value.production;
  return (
    <SumsTable
      report={report}
      title={texts.byMachine}
      column={texts.machinePart}
      all={texts.allMachines(report.rows.length)}
      nameOf={({ key }) => <Link to={{ place: 'machine', machineId: key ?? '' }}>{machineName(key ?? '')}</Link>}
      noteOf={({ key }) => partOf(key ?? '')}
      stopsOf={({ key }) => productionRoute({ view: 'downtime', ...(key !== null && { machines: key }) })}
    />
  );
}

function partOf(machineId: string): string {
  const part = machineOf(machineId)?.part ?? null;
  if (part === null) return words.value.production.noPart;
  return part.partName === null || part.partName === part.partId ? part.partId : `${part.partId} ${part.partName}`;
}
