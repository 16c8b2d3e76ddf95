import { useSignal } from '@preact/signals';
import { groupBy } from '../../../domain/group-by.ts';
import type { ReportView, SumsView } from '../../../flows/production/production-views.ts';
import { number, percent, productionDay, wholePercent, workTime } from '../../show/format.ts';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { dateBefore, days, productionRoute, scopeOf } from './choice.ts';
import { scrapShare, shareText } from './figures.tsx';
import { TrendChart } from './trend-chart.tsx';
import { useReport, ViewFrame } from './view-frame.tsx';

/** The fewest days that shifts are compared over, and the most that stand side by side. */
const LEAST_DAYS = 14;
const MOST_COLUMNS = 31;

const MEASURES = ['oee', 'availability', 'good', 'scrap'] as const;
type Measure = (typeof MEASURES)[number];

/** Each shift of each day side by side, the trend, and the shifts compared. */
export function ShiftsView({ scope: _ }: { readonly scope: string }) {
  const range = days.value;
  if (range === null) return null;
  const from = [range.from, dateBefore(range.to, LEAST_DAYS - 1)].sort()[0] ?? range.from;
  const scope = scopeOf({ from, to: range.to });
  return <Compared scope={scope} />;
}

function Compared({ scope }: { readonly scope: string }) {
  const turns = useReport<SumsView>('sums', `by=turn&${scope}`);
  const byDay = useReport<SumsView>('sums', `by=day&${scope}`);
  const byShift = useReport<SumsView>('sums', `by=shift&${scope}`);
  if (turns === null || byDay === null || byShift === null)
    return <ViewFrame answer={words.value.trouble.waits} file="" children={null} />;
  return (
    <ViewFrame
      answer={headline(byShift.rows)}
      more={worst(turns.rows)}
      file={`/production/sums?format=csv&by=turn&${scope}`}
      shiftNames={[]}
    >
      <Heat report={turns} />
      <Trend rows={byDay.rows} />
      <ShiftTable rows={byShift.rows} />
    </ViewFrame>
  );
}

/** OEE, or what is known of it. */
function oeeOf({ oeeIndex, availability, qualityRatio }: SumsView): number | null {
  if (oeeIndex !== null) return oeeIndex;
  return availability === null || qualityRatio === null ? null : availability * qualityRatio;
}

function headline(rows: readonly SumsView[]): string {
  const texts = words.value.production;
  const known = rows.filter((row) => oeeOf(row) !== null).sort((one, other) => (oeeOf(one) ?? 0) - (oeeOf(other) ?? 0));
  const [low, high] = [known[0], known.at(-1)];
  if (low === undefined || high === undefined || low === high) return texts.nothing;
  const points = Math.round(((oeeOf(high) ?? 0) - (oeeOf(low) ?? 0)) * 100);
  return points === 0 ? texts.shiftsEqual : texts.shiftBelow(low.key ?? '', points, high.key ?? '');
}

function worst(rows: readonly SumsView[]): string {
  const texts = words.value.production;
  const [low] = rows
    .filter((row) => oeeOf(row) !== null && row.plannedSeconds > 3_600)
    .sort((one, other) => (oeeOf(one) ?? 0) - (oeeOf(other) ?? 0));
  if (low?.key == null) return '';
  const [date, shift] = [low.key.slice(0, 10), low.key.slice(11)];
  const reason = low.topReason ?? low.topReasonId ?? texts.noReasonYet;
  const cause = low.topReasonSeconds === 0 ? '' : texts.stood(reason, workTime(low.topReasonSeconds));
  return `${texts.worst(productionDay(date), shift, wholePercent(oeeOf(low) ?? 0))} ${cause}`.trim();
}

function Heat({ report }: { readonly report: ReportView<SumsView> }) {
  const measure = useSignal<Measure>('oee');
  const texts = words.value.production;
  const rows = new Map(report.rows.map((row) => [row.key, row]));
  const dates = [...new Set(report.rows.map(({ key }) => (key ?? '').slice(0, 10)))].sort().slice(-MOST_COLUMNS);
  const best = Math.max(...report.rows.map(({ goodParts }) => goodParts));
  return (
    <section class="pane" aria-label={texts.eachShift}>
      <div class="head">
        <h2 class="h3">{texts.eachShift}</h2>
        <div class="seg push" role="group" aria-label={texts.whatIsShown}>
          {MEASURES.map((one) => (
            <button type="button" key={one} aria-pressed={measure.value === one} onClick={() => (measure.value = one)}>
              {texts.measures[one]}
            </button>
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <div class="scroll-x" tabIndex={0}>
        <table class="heat">
          <thead>
            <tr>
              <th scope="col">{texts.shift}</th>
              {dates.map((date) => (
                <th scope="col" key={date}>
                  {productionDay(date)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.shiftNames.map((shift) => (
              <tr key={shift}>
                <th scope="row">{shift}</th>
                {dates.map((date) => (
                  <HeatCell
                    key={date}
                    date={date}
                    shift={shift}
                    row={rows.get(`${date} ${shift}`)}
                    measure={measure.value}
                    best={best}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface HeatCellProps {
  readonly date: string;
  readonly shift: string;
  readonly row: SumsView | undefined;
  readonly measure: Measure;
  readonly best: number;
}

/** A cell leads to the plant in that shift. The tones have fixed steps, so that they compare between weeks. */
function HeatCell({ date, shift, row, measure, best }: HeatCellProps) {
  const texts = words.value.production;
  const value = row === undefined || row.plannedSeconds === 0 ? null : measured(row, measure);
  if (row === undefined || value === null) return <td class="h-x">–</td>;
  const text =
    measure === 'good' ? number(value) : measure === 'scrap' ? number(value * 100, 1) : number(value * 100, 0);
  return (
    <td class={`h-${toneOf(value, measure, best)}`}>
      <Link
        to={productionRoute({ view: 'plant', period: `${date}..${date}`, shift })}
        label={`${productionDay(date)}, ${shift}: ${texts.measures[measure]} ${text}`}
      >
        {text}
      </Link>
    </td>
  );
}

function measured(row: SumsView, measure: Measure): number | null {
  switch (measure) {
    case 'oee':
      return oeeOf(row);
    case 'availability':
      return row.availability;
    case 'good':
      return row.goodParts;
    case 'scrap':
      return scrapShare(row);
  }
}

/** From 0, as it should be, to 4. */
function toneOf(value: number, measure: Measure, best: number): number {
  const limits = { oee: [0.78, 0.73, 0.67, 0.6], availability: [0.88, 0.83, 0.77, 0.7] } as const;
  if (measure === 'scrap') return [0.02, 0.03, 0.04, 0.06].filter((limit) => value > limit).length;
  if (measure === 'good') return [0.9, 0.75, 0.6, 0.4].filter((limit) => value < limit * best).length;
  return limits[measure].filter((limit) => value < limit).length;
}

/** OEE, pieces, scrap and availability day by day. */
export function Trend({ rows }: { readonly rows: readonly SumsView[] }) {
  const texts = words.value.production;
  const planned = rows.filter(({ key, plannedSeconds }) => key !== null && plannedSeconds > 0);
  if (planned.length < 2) return null;
  const of = (valueAt: (row: SumsView) => number | null) =>
    planned.map((row) => ({ date: row.key ?? '', value: valueAt(row) }));
  return (
    <section class="pane" aria-label={texts.trend}>
      <div class="head">
        <h2 class="h3">{texts.trend}</h2>
        <span class="small dim push">{texts.trendKey}</span>
      </div>
      <div class="cols cols-even">
        <TrendChart title={texts.measures.oee} points={of(oeeOf)} text={wholePercent} top={1} />
        <TrendChart
          title={texts.goodADay}
          points={of(({ goodParts }) => goodParts)}
          text={(value) => number(value, 0)}
        />
        <TrendChart title={texts.measures.scrap} points={of(scrapShare)} text={percent} />
        <TrendChart
          title={texts.measures.availability}
          points={of(({ availability }) => availability)}
          text={wholePercent}
          top={1}
        />
      </div>
    </section>
  );
}

function ShiftTable({ rows }: { readonly rows: readonly SumsView[] }) {
  const texts = words.value.production;
  const names = groupBy(rows, ({ key }) => key ?? '');
  return (
    <section class="pane flush" aria-label={texts.shiftsCompared}>
      <h2 class="h3 pad">{texts.shiftsCompared}</h2>
      <table class="table cards-s">
        <thead>
          <tr>
            <th scope="col">{texts.shift}</th>
            <th scope="col" class="rightc">
              {texts.good}
            </th>
            <th scope="col" class="rightc">
              {texts.measures.availability}
            </th>
            <th scope="col" class="rightc">
              {texts.scrap}
            </th>
            <th scope="col" class="rightc">
              {texts.oee}
            </th>
            <th scope="col">{texts.biggestReason}</th>
          </tr>
        </thead>
        <tbody>
          {[...names].flatMap(([name, [row]]) =>
            row === undefined ? [] : [<ShiftRow key={name} name={name} row={row} />],
          )}
        </tbody>
      </table>
    </section>
  );
}

function ShiftRow({ name, row }: { readonly name: string; readonly row: SumsView }) {
  const texts = words.value.production;
  const scrap = scrapShare(row);
  const reason = row.topReason ?? row.topReasonId ?? texts.noReasonYet;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="rightc" data-k={texts.good}>
        {number(row.goodParts)}
      </td>
      <td class="rightc" data-k={texts.measures.availability}>
        {shareText(row.availability)}
      </td>
      <td class="rightc" data-k={texts.scrap}>
        {scrap === null ? '–' : percent(scrap)}
      </td>
      <td class="rightc" data-k={texts.oee}>
        {shareText(oeeOf(row))}
      </td>
      <td data-k={texts.biggestReason}>
        {row.topReasonSeconds === 0 ? '–' : `${reason}, ${workTime(row.topReasonSeconds)}`}
      </td>
    </tr>
  );
}
