import { useSignal } from '@preact/signals';
import type { LongStopView, ReportView, StopView } from '../../../flows/production/production-views.ts';
import { call } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import { machineName } from '../../plant/machines.ts';
import type { Stop } from '../../plant/stops.ts';
import { age, number, timeOrDay, wholePercent, workTime } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { EditStop } from '../stops/edit-stop.tsx';
import { choice, chooseProduction } from './choice.ts';
import { fillOf } from './group-fill.ts';
import { ParetoChart } from './pareto-chart.tsx';
import { useReport, ViewFrame } from './view-frame.tsx';

/** Which reason costs most: a Pareto chart, and below it the same as lines that open their stops. */
export function DowntimeView({ scope }: { readonly scope: string }) {
  const report = useReport<StopView>('stops', `by=reason&compare=before&${scope}`);
  const texts = words.value.production;
  if (report === null) return <ViewFrame answer={words.value.trouble.waits} file="" children={null} />;
  const byCount = choice.value.by === 'count';
  const unplanned = report.rows.filter(({ planned }) => planned !== true).sort(byCount ? mostCounted : longest);
  const planned = report.rows.filter(({ planned }) => planned === true);
  const file = `/production/stops?format=csv&by=reason&compare=before&${scope}`;
  return (
    <ViewFrame answer={headline(unplanned)} more={changes(unplanned)} file={file} shiftNames={report.shiftNames}>
      {unplanned.length > 0 && (
        <section class="pane" aria-label={texts.unplanned}>
          <div class="head">
            <h2 class="h3">{texts.unplanned}</h2>
            <Measure byCount={byCount} />
          </div>
          <ParetoChart rows={unplanned} byCount={byCount} />
        </section>
      )}
      <Causes unplanned={unplanned} planned={planned} byCount={byCount} scope={scope} nameOf={machineName} mayCorrect />
      <Outside report={report} />
    </ViewFrame>
  );
}

interface StopsByReasonProps {
  readonly report: ReportView<StopView>;
  readonly scope: string;
  /** The name of a machine. */
  readonly nameOf: (machineId: string) => string;
}

/** The stops of other gateways' machines by reason: they are corrected there. */
export function StopsByReason({ report, ...of }: StopsByReasonProps) {
  const texts = words.value.production;
  const unplanned = report.rows.filter(({ planned }) => planned !== true).sort(longest);
  const planned = report.rows.filter(({ planned }) => planned === true);
  return (
    <>
      {unplanned.length > 0 && (
        <section class="pane" aria-label={texts.unplanned}>
          <h2 class="h3 head">{headline(unplanned)}</h2>
          <p class="dim">{changes(unplanned)}</p>
          <ParetoChart rows={unplanned} byCount={false} />
        </section>
      )}
      <Causes unplanned={unplanned} planned={planned} byCount={false} mayCorrect={false} {...of} />
      <Outside report={report} />
    </>
  );
}

function longest(one: StopView, other: StopView): number {
  return other.seconds - one.seconds;
}

function mostCounted(one: StopView, other: StopView): number {
  return other.count - one.count;
}

export function reasonOf({ key, name }: Pick<StopView, 'key' | 'name'>): string {
  return name ?? key ?? words.value.production.noReasonYet;
}

function headline(rows: readonly StopView[]): string {
  const texts = words.value.production;
  const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
  const [first] = [...rows].sort(longest);
  if (first === undefined || total === 0) return texts.noStops;
  return texts.stopsCost(workTime(total), reasonOf(first), workTime(first.seconds));
}

/** The change against the days before, the reason that grew most, and stops without a reason. */
function changes(rows: readonly StopView[]): string {
  const texts = words.value.production;
  const now = rows.reduce((sum, { seconds }) => sum + seconds, 0);
  const before = rows.reduce((sum, { secondsBefore }) => sum + (secondsBefore ?? 0), 0);
  const grown = [...rows].sort((one, other) => growthOf(other) - growthOf(one))[0];
  const unnamed = rows.find(({ key }) => key === null)?.seconds ?? 0;
  return [
    before > 0 ? texts.thanBefore(wholePercent(Math.abs(now / before - 1)), now <= before) : '',
    grown !== undefined && before > 0 && growthOf(grown) > 60
      ? texts.grewMost(reasonOf(grown), workTime(growthOf(grown)))
      : '',
    unnamed > 0 ? texts.withoutReason(workTime(unnamed)) : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function growthOf({ seconds, secondsBefore }: StopView): number {
  return seconds - (secondsBefore ?? 0);
}

function Measure({ byCount }: { readonly byCount: boolean }) {
  const texts = words.value.production;
  return (
    <div class="seg push" role="group" aria-label={texts.measuredBy}>
      <button type="button" aria-pressed={!byCount} onClick={() => chooseProduction({ by: '' })}>
        {texts.minutes}
      </button>
      <button type="button" aria-pressed={byCount} onClick={() => chooseProduction({ by: 'count' })}>
        {texts.count}
      </button>
    </div>
  );
}

interface CausesProps extends LongestStopsOf {
  readonly unplanned: readonly StopView[];
  readonly planned: readonly StopView[];
  readonly byCount: boolean;
}

function Causes({ unplanned, planned, byCount, ...of }: CausesProps) {
  const open = useSignal<string | null | undefined>(undefined);
  const texts = words.value.production;
  const amountOf = (row: StopView) => (byCount ? row.count : row.seconds);
  const total = unplanned.reduce((sum, row) => sum + amountOf(row), 0);
  const most = Math.max(1, ...[...unplanned, ...planned].map(amountOf));
  let running = 0;
  const lineOf = (row: StopView, place: number | null) => {
    if (place !== null) running += amountOf(row);
    const shares = place === null || total === 0 ? null : { own: amountOf(row) / total, running: running / total };
    return (
      <Cause
        key={row.key}
        row={row}
        place={place}
        width={amountOf(row) / most}
        shares={shares}
        isOpen={open.value === row.key}
        onToggle={() => (open.value = open.value === row.key ? undefined : row.key)}
        {...of}
      />
    );
  };
  return (
    <section class="pane flush pareto" aria-label={texts.unplannedByReason}>
      {unplanned.length === 0 && <p class="apart">{texts.noStops}</p>}
      {unplanned.map((row, place) => lineOf(row, place + 1))}
      {planned.length > 0 && (
        <p class="apart">
          <span>{texts.plannedNotInSum}</span>
          <span>{workTime(planned.reduce((sum, { seconds }) => sum + seconds, 0))}</span>
        </p>
      )}
      {planned.map((row) => lineOf(row, null))}
    </section>
  );
}

interface CauseProps extends LongestStopsOf {
  readonly row: StopView;
  /** Null: its stops are planned. */
  readonly place: number | null;
  readonly width: number;
  readonly shares: { readonly own: number; readonly running: number } | null;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Cause({ row, place, width, shares, isOpen, onToggle, ...of }: CauseProps) {
  const texts = words.value.production;
  const { fill, className } = fillOf(row);
  return (
    <>
      <button type="button" class="cause" aria-expanded={isOpen} onClick={onToggle}>
        <span class="nm">
          {place !== null && `${place}. `}
          {reasonOf(row)}
          <small>{row.group === null || row.group === '' ? texts.noGroup : row.group}</small>
        </span>
        <svg class="mix mix-s" aria-hidden="true">
          <rect x="1" y="1" width={`${width * 98}%`} height="90%" class={className ?? 'outlined'} fill={fill} />
        </svg>
        <span class="num">
          {workTime(row.seconds)}
          {shares !== null && (
            <small>{texts.shareAndSum(wholePercent(shares.own), wholePercent(shares.running))}</small>
          )}
        </span>
        <span class="num">
          {number(row.count)}
          <small>{texts.stops(row.count)}</small>
        </span>
        <span class="num">
          <Change row={row} />
        </span>
      </button>
      {isOpen && <LongestStops row={row} {...of} />}
    </>
  );
}

function Change({ row: { seconds, secondsBefore } }: { readonly row: StopView }) {
  const { before } = words.value.production;
  if (secondsBefore === null) return null;
  // A reason that is new has grown by its whole time.
  const isNew = secondsBefore === 0;
  const change = isNew ? seconds : seconds / secondsBefore - 1;
  return (
    <>
      {Math.abs(change) < 0.005 ? (
        '='
      ) : (
        <>
          <svg class="tri" aria-hidden="true" viewBox="0 0 10 10">
            <path d={change < 0 ? 'M0 1.5h10L5 9.5z' : 'M0 8.5h10L5 .5z'} />
          </svg>
          <span class="sr">{change < 0 ? '−' : '+'}</span>
          {isNew ? workTime(seconds) : wholePercent(Math.abs(change))}
        </>
      )}
      <small>{before(workTime(secondsBefore))}</small>
    </>
  );
}

const FIRST_STOPS = 3;
const MOST_STOPS = 200;

/** Where the stops are asked for, and what can be done with them. */
interface LongestStopsOf extends Pick<StopsByReasonProps, 'scope' | 'nameOf'> {
  readonly mayCorrect: boolean;
}

/** The longest stops of a reason, of any day; each of our own can be corrected. */
function LongestStops({ row: { key, count }, scope, nameOf, mayCorrect }: LongestStopsOf & { readonly row: StopView }) {
  const limit = useSignal(FIRST_STOPS);
  const edited = useSignal<Stop | null>(null);
  const texts = words.value.production;
  const reason = key === null ? '&uncategorized=true' : `&reasonId=${encodeURIComponent(key)}`;
  const path = `/production/stops/longest?${scope}${reason}&limit=${limit.value}`;
  const stops = useResource(path, () => call<readonly LongStopView[]>('GET', path), { again: 'downtime' }).value;
  if (stops === null) return <p class="cause-open dim">{words.value.trouble.waits}</p>;
  return (
    <div class="cause-open">
      <ul class="hit-list">
        {stops.map((stop) => (
          <li key={stop.downtimeId}>
            <b>{timeOrDay(stop.startedAt)}</b>
            <span>
              {stop.endedAt === null ? texts.lasts : age(Date.parse(stop.endedAt) - Date.parse(stop.startedAt))}
            </span>
            <span>
              {nameOf(stop.machineId)}
              <small class="dim">{noteOf(stop)}</small>
            </span>
            {mayCorrect && (
              <button type="button" class="btn" onClick={() => (edited.value = stop)}>
                <Icon name="note" />
                {texts.correct}
              </button>
            )}
          </li>
        ))}
      </ul>
      {limit.value === FIRST_STOPS && count > stops.length && (
        <p class="row row-flat">
          <button type="button" class="btn" onClick={() => (limit.value = MOST_STOPS)}>
            {texts.allStops(number(Math.min(count, MOST_STOPS)))}
          </button>
          <span class="small dim">{texts.longestFirst}</span>
        </p>
      )}
      {edited.value !== null && (
        <EditStop stop={edited.value} isGone={false} neighbour={null} onClose={() => (edited.value = null)} />
      )}
    </div>
  );
}

function noteOf({ note, userName }: LongStopView): string {
  return [note ?? words.value.production.noNote, userName].filter((text) => text !== null).join(', ');
}

/** Stops outside planned time are shown once, apart from the sum. */
function Outside({ report: { total } }: { readonly report: ReportView<StopView> }) {
  if (total.outsideSeconds === 0) return null;
  return <p class="small dim">{words.value.production.outsideStops(workTime(total.outsideSeconds))}</p>;
}
