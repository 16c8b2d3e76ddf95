import type { StopView, SumsView } from '../../../flows/production/production-views.ts';
import { machineName } from '../../plant/machines.ts';
import { number, workTime } from '../../show/format.ts';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { productionRoute } from './choice.ts';
import { reasonOf } from './downtime-view.tsx';
import { fillOf } from './group-fill.ts';
import { useReport, ViewFrame } from './view-frame.tsx';

/** The breakdowns by machine and reason, the worst first: how often and how long. */
export function ReliabilityView({ scope }: { readonly scope: string }) {
  const sums = useReport<SumsView>('sums', `by=machine&${scope}`);
  const stops = useReport<StopView>('stops', `by=reason&${scope}`);
  const texts = words.value.production;
  if (sums === null || stops === null) return <ViewFrame answer={words.value.trouble.waits} file="" children={null} />;
  const { breakdowns, mtbfSeconds, mttrSeconds } = sums.total;
  const answer =
    breakdowns === 0
      ? texts.noBreakdowns
      : texts.breakdowns(breakdowns, workTime(mtbfSeconds ?? 0), workTime(mttrSeconds ?? 0));
  const reasons = stops.rows.filter((row) => fillOf(row).className === 'f-down');
  return (
    <ViewFrame answer={answer} file={`/production/sums?format=csv&by=machine&${scope}`} shiftNames={sums.shiftNames}>
      <section class="pane flush" aria-label={texts.byMachineWorst}>
        <h2 class="h3 pad">{texts.byMachineWorst}</h2>
        <table class="table cards-s">
          <thead>
            <tr>
              <th scope="col">{texts.machine}</th>
              <th scope="col" class="rightc">
                {texts.breakdownCount}
              </th>
              <th scope="col" class="rightc">
                {texts.mtbf}
              </th>
              <th scope="col" class="rightc">
                {texts.mttr}
              </th>
              <th scope="col" class="rightc">
                {texts.repairTime}
              </th>
            </tr>
          </thead>
          <tbody>
            {[...sums.rows].sort(byHarm).map((row) => (
              <MachineRow key={row.key} row={row} />
            ))}
          </tbody>
        </table>
      </section>
      {reasons.length > 0 && <Reasons rows={reasons} />}
      <p class="small dim">{texts.reliabilityMeaning}</p>
    </ViewFrame>
  );
}

function byHarm(one: SumsView, other: SumsView): number {
  return other.breakdownSeconds - one.breakdownSeconds;
}

function MachineRow({ row }: { readonly row: SumsView }) {
  const texts = words.value.production;
  const machineId = row.key ?? '';
  return (
    <tr>
      <th scope="row">
        <Link to={{ place: 'machine', machineId }}>{machineName(machineId)}</Link>
      </th>
      <td class="rightc" data-k={texts.breakdownCount}>
        {number(row.breakdowns)}
      </td>
      <td class="rightc" data-k={texts.mtbf}>
        {row.mtbfSeconds === null ? '–' : workTime(row.mtbfSeconds)}
      </td>
      <td class="rightc" data-k={texts.mttr}>
        {row.mttrSeconds === null ? '–' : workTime(row.mttrSeconds)}
      </td>
      <td class="rightc" data-k={texts.repairTime}>
        {workTime(row.breakdownSeconds)}
      </td>
    </tr>
  );
}

function Reasons({ rows }: { readonly rows: readonly StopView[] }) {
  const texts = words.value.production;
  return (
    <section class="pane flush" aria-label={texts.byBreakdownReason}>
      <h2 class="h3 pad">{texts.byBreakdownReason}</h2>
      <table class="table cards-s">
        <thead>
          <tr>
            <th scope="col">{texts.reason}</th>
            <th scope="col" class="rightc">
              {texts.breakdownCount}
            </th>
            <th scope="col" class="rightc">
              {texts.repairTime}
            </th>
            <th scope="col" class="rightc">
              {texts.longest}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <Link to={productionRoute({ view: 'log', by: row.key ?? 'uncategorized' })}>{reasonOf(row)}</Link>
              </th>
              <td class="rightc" data-k={texts.breakdownCount}>
                {number(row.count)}
              </td>
              <td class="rightc" data-k={texts.repairTime}>
                {workTime(row.seconds)}
              </td>
              <td class="rightc" data-k={texts.longest}>
                {workTime(row.longestSeconds)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
