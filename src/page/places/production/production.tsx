import type { ReportView, SumsView } from '../../../flows/production/production-views.ts';
import { Frame } from '../../app/frame.tsx';
import { machineCount, machineName, machineOf } from '../../plant/machines.ts';
import { number, percent, workTime } from '../../show/format.ts';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { choice, productionRoute, scopeQuery } from './choice.ts';
import { DowntimeView } from './downtime-view.tsx';
import { Difference, headline, Oee, scrapShare } from './figures.tsx';
import { LogView } from './log/log-view.tsx';
import { PartsView } from './parts-view.tsx';
import { ReliabilityView } from './reliability-view.tsx';
import { ReportPlace } from './report-view.tsx';
import { ShiftsView } from './shifts-view.tsx';
import { TimeKey, TimeMix } from './time-mix.tsx';
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
      {report.rows.length === 0 ? <p class="dim">{words.value.production.nothing}</p> : <PlantView report={report} />}
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

/** Machine by machine: pieces against the target, where the time went, and OEE. The furthest behind comes first. */
function PlantView({ report: { total, rows } }: { readonly report: ReportView<SumsView> }) {
  const texts = words.value.production;
  return (
    <>
      <section class="pane flush" aria-label={texts.byMachine}>
        <table class="made-table">
          <thead>
            <tr>
              <th scope="col">{texts.machinePart}</th>
              <th scope="col" class="rightc">
                {texts.good}
              </th>
              <th scope="col" class="rightc">
                {texts.scrap}
              </th>
              <th scope="col">{texts.whereTimeWent}</th>
              <th scope="col" class="rightc">
                {texts.oee}
              </th>
            </tr>
          </thead>
          <tbody>
            <MachineRow sums={total} count={rows.length} />
            {[...rows].sort(byDistance).map((row) => (
              <MachineRow key={row.key} sums={row} count={null} />
            ))}
          </tbody>
        </table>
      </section>
      <TimeKey />
      <p class="small dim">{texts.oeeMeaning}</p>
    </>
  );
}

/** Those without a target come last. */
function byDistance(one: SumsView, other: SumsView): number {
  return distanceOf(one) - distanceOf(other);
}

function distanceOf({ targetParts, targetedGoodParts }: SumsView): number {
  return targetParts === null ? Number.MAX_SAFE_INTEGER : targetedGoodParts - targetParts;
}

/** `count`: the number of machines, in the row of their sum. */
function MachineRow({ sums, count }: { readonly sums: SumsView; readonly count: number | null }) {
  const texts = words.value.production;
  const scrap = scrapShare(sums);
  return (
    <tr class={count === null ? undefined : 'sum'}>
      <th scope="row" class="who">
        {count === null ? <MachineLink machineId={sums.key ?? ''} /> : <b class="big">{texts.allMachines(count)}</b>}
        <small>{count === null ? partOf(sums.key ?? '') : targetNote(sums)}</small>
      </th>
      <td class="rightc good">
        <span class="big">{number(sums.goodParts)}</span>
        <small>
          {sums.targetParts === null ? texts.noTarget : <Difference sums={sums} />}
          {sums.targetParts !== null && count === null && ` ${texts.of} ${number(sums.targetParts)}`}
        </small>
      </td>
      <td class="rightc bad">
        <span class="big">{scrap === null ? '–' : percent(scrap)}</span>
        <small>{number(sums.badParts)}</small>
      </td>
      <td class="time">
        <TimeMix sums={sums} />
        <small>
          <TopReason sums={sums} />
          <span>{texts.ran(workTime(sums.runningSeconds))}</span>
          {sums.outsideRunningSeconds > 0 && <span>{texts.outside(workTime(sums.outsideRunningSeconds))}</span>}
        </small>
      </td>
      <td class="rightc oee">
        <Oee sums={sums} />
      </td>
    </tr>
  );
}

function targetNote({ targetParts, targetedGoodParts, goodParts }: SumsView): string {
  const { targetIs, partlyTargeted } = words.value.production;
  if (targetParts === null) return '';
  const target = targetIs(number(targetParts));
  return targetedGoodParts === goodParts ? target : `${target} ${partlyTargeted(number(targetedGoodParts))}`;
}

function MachineLink({ machineId }: { readonly machineId: string }) {
  return <Link to={{ place: 'machine', machineId }}>{machineName(machineId)}</Link>;
}

function partOf(machineId: string): string {
  const part = machineOf(machineId)?.part ?? null;
  if (part === null) return words.value.production.noPart;
  return part.partName === null || part.partName === part.partId ? part.partId : `${part.partId} ${part.partName}`;
}

/** The reason that cost most leads to the stops of the machine. */
function TopReason({ sums }: { readonly sums: SumsView }) {
  const { noReasonYet } = words.value.production;
  const { key, topReason, topReasonId, topReasonSeconds } = sums;
  if (topReasonSeconds === 0) return <span />;
  const text = `${topReason ?? topReasonId ?? noReasonYet}, ${workTime(topReasonSeconds)}`;
  return <Link to={productionRoute({ view: 'downtime', ...(key !== null && { machines: key }) })}>{text}</Link>;
}
