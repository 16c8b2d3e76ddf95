import type { Recipient } from '../../../domain/alert/recipient.ts';
import type {
  LongStopView,
  ReportView,
  StopView,
  SumsView,
  WorkView,
} from '../../../flows/production/production-views.ts';
import { call } from '../../api/call.ts';
import { Choose } from '../../app/choose.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { useResource } from '../../app/use-resource.ts';
import { isForAllPlants, mayRead } from '../../people/who.ts';
import { machineName, presentShift } from '../../plant/machines.ts';
import { reasonText } from '../../plant/plant.ts';
import { gatewayNowMs } from '../../show/clock.ts';
import { age, dateAndTime, number, percent, productionDay, timeOfDay, timeZone, workTime } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { choice, chooseProduction, dateBefore } from './choice.ts';
import { reasonOf } from './downtime-view.tsx';
import { Difference, headline, scrapShare, shareText } from './figures.tsx';
import { fillOf } from './group-fill.ts';
import { TimeMix } from './time-mix.tsx';
import { useReport, ViewFrame } from './view-frame.tsx';

/** Production days whose shifts are offered. */
const OFFERED_DAYS = 7;
const FIRST_REASONS = 5;

/** The report of one shift: one sheet of A4 that prints as it looks. */
export function ReportPlace() {
  const today = presentShift.value?.shiftDate ?? '';
  const turns = useReport<SumsView>('sums', `by=turn&from=${dateBefore(today, OFFERED_DAYS - 1)}&to=${today}`);
  const texts = words.value.production;
  if (turns === null) return <ViewFrame answer={words.value.trouble.waits} file="" asks={false} children={null} />;
  const keys = turns.rows.map(({ key }) => key ?? '').reverse();
  const present = `${today} ${presentShift.value?.shiftName ?? ''}`;
  const lastOver = keys.find((key) => key !== present) ?? present;
  const shown = keys.includes(choice.value.by) ? choice.value.by : lastOver;
  return (
    <Report
      key={shown}
      shown={shown}
      keys={keys}
      title={texts.turn(shown.slice(11), productionDay(shown.slice(0, 10)))}
    />
  );
}

interface ReportProps {
  /** `2026-11-24 Early`. */
  readonly shown: string;
  readonly keys: readonly string[];
  readonly title: string;
}

function Report({ shown, keys, title }: ReportProps) {
  const [date, shift] = [shown.slice(0, 10), shown.slice(11)];
  const scope = `${new URLSearchParams({ from: date, to: date, shift })}`;
  const sums = useReport<SumsView>('sums', `by=machine&${scope}`);
  const stops = useReport<StopView>('stops', `by=reason&${scope}`);
  const people = useReport<WorkView>('work', `by=operator&${scope}`);
  const path = `/production/stops/longest?${scope}&limit=${FIRST_REASONS}`;
  const longest = useResource(path, () => call<readonly LongStopView[]>('GET', path)).value;
  const texts = words.value.production;
  const isLoaded = sums !== null && stops !== null && people !== null && longest !== null;
  return (
    <ViewFrame
      answer={isLoaded ? headline(sums.total, 'shift') : words.value.trouble.waits}
      more={title}
      file={`/production/sums?format=csv&by=machine&${scope}`}
      asks={false}
    >
      <div class="ask">
        <Choose
          label={texts.shift}
          value={shown}
          options={keys.map((key) => [key, texts.turn(key.slice(11), productionDay(key.slice(0, 10)))] as const)}
          onChoose={(by) => chooseProduction({ by })}
        />
        <button type="button" class="btn btn-main" onClick={() => print()}>
          <Icon name="print" />
          {texts.printIt}
        </button>
      </div>
      <Mailing date={date} shift={shift} />
      {isLoaded && <Sheet title={title} sums={sums} stops={stops} people={people} longest={longest} />}
    </ViewFrame>
  );
}

/** The people who get the report of the shift by itself, and a way to send it now. */
function Mailing({ date, shift }: { readonly date: string; readonly shift: string }) {
  const texts = words.value.production;
  const path = '/alerts/recipients';
  const told = useResource(path, () => call<readonly Recipient[]>('GET', path)).value;
  if (told === null) return null;
  const names = told
    .filter(({ reports = [], shifts }) => reports.includes('shift') && (shifts.length === 0 || shifts.includes(shift)))
    .map(({ name }) => name);
  const send = async () => {
    const period = { period: 'shift', from: date, to: date, shift };
    const outcome = await call<{ readonly messages: number }>('POST', '/alerts/reports', period);
    if (!isDone(outcome)) return;
    showDone(texts.sentReports(outcome.value.messages));
  };
  return (
    <p class="row no-print">
      <span class="grow">{names.length === 0 ? texts.reportToNobody : texts.reportTo(names.join(', '))}</span>
      <Link to={{ place: 'alerts', view: 'who' }} class="btn">
        {texts.whoGetsIt}
      </Link>
      {names.length > 0 && mayRead('supervisor') && isForAllPlants() && (
        <button type="button" class="btn" onClick={() => void send()}>
          <Icon name="send" />
          {texts.sendReport}
        </button>
      )}
    </p>
  );
}

interface SheetProps {
  readonly title: string;
  readonly sums: ReportView<SumsView>;
  readonly stops: ReportView<StopView>;
  readonly people: ReportView<WorkView>;
  readonly longest: readonly LongStopView[];
}

function Sheet({ title, sums, stops, people, longest }: SheetProps) {
  const texts = words.value.production;
  const names = people.rows.flatMap(({ key }) => key ?? []);
  return (
    <article class="sheet-a4">
      <header>
        <p>{texts.shiftReport}</p>
        <h2>{title}</h2>
        <p>{headline(sums.total, 'shift')}</p>
      </header>
      <Figures total={sums.total} />
      <h3>{texts.perMachine}</h3>
      <Machines report={sums} />
      <h3>{texts.fiveReasons}</h3>
      <TopReasons rows={stops.rows.filter(({ planned }) => planned !== true).slice(0, FIRST_REASONS)} />
      <h3>{texts.longestStops}</h3>
      <Longest stops={longest} />
      <h3>{texts.whoWasThere}</h3>
      <p>{names.length === 0 ? texts.nobodySaid : names.join(', ')}</p>
      <p class="signatures">
        <span>{texts.handedOver}</span>
        <span>{texts.takenOver}</span>
      </p>
      <footer>{texts.madeAt(timeZone, dateAndTime(gatewayNowMs()))}</footer>
    </article>
  );
}

function Figures({ total }: { readonly total: SumsView }) {
  const texts = words.value.production;
  const scrap = scrapShare(total);
  return (
    <dl class="figures">
      <div>
        <dt>{texts.good}</dt>
        <dd>{number(total.goodParts)}</dd>
      </div>
      <div>
        <dt>{texts.toTarget}</dt>
        <dd>{total.targetParts === null ? texts.noTarget : <Difference sums={total} />}</dd>
      </div>
      <div>
        <dt>{texts.scrap}</dt>
        <dd>{scrap === null ? '–' : percent(scrap)}</dd>
      </div>
      <div>
        <dt>{texts.oee}</dt>
        <dd>{shareText(total.oeeIndex)}</dd>
      </div>
      <div>
        <dt>{texts.unplannedStops}</dt>
        <dd>{workTime(total.unplannedStopSeconds)}</dd>
      </div>
    </dl>
  );
}

function Machines({ report: { rows, total } }: { readonly report: ReportView<SumsView> }) {
  const texts = words.value.production;
  const line = (row: SumsView, name: string) => {
    const scrap = scrapShare(row);
    return (
      <tr key={row.key} class={row.key === null ? 'sum' : undefined}>
        <th scope="row">{name}</th>
        <td class="rightc">{number(row.goodParts)}</td>
        <td class="rightc">{row.targetParts === null ? texts.none : number(row.targetParts)}</td>
        <td class="rightc">{scrap === null ? '–' : percent(scrap)}</td>
        <td class="time">
          <TimeMix sums={row} />
        </td>
        <td class="rightc">{shareText(row.oeeIndex)}</td>
      </tr>
    );
  };
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{texts.machine}</th>
          <th scope="col" class="rightc">
            {texts.good}
          </th>
          <th scope="col" class="rightc">
            {texts.target}
          </th>
          <th scope="col" class="rightc">
            {texts.scrap}
          </th>
          <th scope="col">{texts.time}</th>
          <th scope="col" class="rightc">
            {texts.oee}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => line(row, machineName(row.key ?? '')))}
        {line(total, texts.all)}
      </tbody>
    </table>
  );
}

function TopReasons({ rows }: { readonly rows: readonly StopView[] }) {
  const texts = words.value.production;
  const most = Math.max(1, ...rows.map(({ seconds }) => seconds));
  if (rows.length === 0) return <p>{texts.noStops}</p>;
  return (
    <table>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">{reasonOf(row)}</th>
            <td class="time">
              <svg class="mix mix-s" aria-hidden="true">
                <rect
                  x="1"
                  y="1"
                  width={`${(row.seconds / most) * 98}%`}
                  height="90%"
                  class={fillOf(row).className}
                  fill={fillOf(row).fill}
                />
              </svg>
            </td>
            <td class="rightc">{workTime(row.seconds)}</td>
            <td class="rightc">{`${number(row.count)} ×`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Longest({ stops }: { readonly stops: readonly LongStopView[] }) {
  const texts = words.value.production;
  if (stops.length === 0) return <p>{texts.noStops}</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{texts.from}</th>
          <th scope="col">{texts.lasted}</th>
          <th scope="col">{texts.machine}</th>
          <th scope="col">{texts.reason}</th>
          <th scope="col">{texts.note}</th>
        </tr>
      </thead>
      <tbody>
        {stops.map(({ downtimeId, startedAt, endedAt, machineId, reasonId, note }) => (
          <tr key={downtimeId}>
            <td>{timeOfDay(startedAt)}</td>
            <td>{endedAt === null ? texts.lasts : age(Date.parse(endedAt) - Date.parse(startedAt))}</td>
            <td>{machineName(machineId)}</td>
            <td>{reasonText(reasonId) ?? texts.noReasonYet}</td>
            <td>{note ?? ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
