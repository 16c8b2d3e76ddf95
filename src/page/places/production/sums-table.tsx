import type { ComponentChildren } from 'preact';
import type { ReportView, SumsView } from '../../../flows/production/production-views.ts';
import type { Route } from '../../app/route.ts';
import { number, percent, workTime } from '../../show/format.ts';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { Difference, Oee, scrapShare } from './figures.tsx';
import { TimeKey, TimeMix } from './time-mix.tsx';

interface SumsTableProps {
  readonly report: ReportView<SumsView>;
  readonly title: string;
  readonly column: string;
  /** The name of the row of all. */
  readonly all: string;
  readonly nameOf: (row: SumsView) => ComponentChildren;
  readonly noteOf: (row: SumsView) => string;
  /** The place of the stops of a row, or of all; null: there is none. */
  readonly stopsOf: (row: SumsView) => Route | null;
}

/** Row by row: pieces against the target, where the time went, and OEE. The furthest behind comes first. */
export function SumsTable({ report: { total, rows }, title, column, all, ...of }: SumsTableProps) {
  const texts = words.value.production;
  return (
    <>
      <section class="pane flush" aria-label={title}>
        <table class="made-table">
          <thead>
            <tr>
              <th scope="col">{column}</th>
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
            <Row sums={total} all={all} {...of} />
            {[...rows].sort(byDistance).map((row) => (
              <Row key={row.key} sums={row} all={null} {...of} />
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

interface RowProps extends Pick<SumsTableProps, 'nameOf' | 'noteOf' | 'stopsOf'> {
  readonly sums: SumsView;
  /** The name of the row of all; null: it is the row of one. */
  readonly all: string | null;
}

function Row({ sums, all, nameOf, noteOf, stopsOf }: RowProps) {
  const texts = words.value.production;
  const scrap = scrapShare(sums);
  return (
    <tr class={all === null ? undefined : 'sum'}>
      <th scope="row" class="who">
        {all === null ? nameOf(sums) : <b class="big">{all}</b>}
        <small>{all === null ? noteOf(sums) : targetNote(sums)}</small>
      </th>
      <td class="rightc good">
        <span class="big">{number(sums.goodParts)}</span>
        <small>
          {sums.targetParts === null ? texts.noTarget : <Difference sums={sums} />}
          {sums.targetParts !== null && all === null && ` ${texts.of} ${number(sums.targetParts)}`}
        </small>
      </td>
      <td class="rightc bad">
        <span class="big">{scrap === null ? '–' : percent(scrap)}</span>
        <small>{number(sums.badParts)}</small>
      </td>
      <td class="time">
        <TimeMix sums={sums} />
        <small>
          <TopReason sums={sums} to={stopsOf(sums)} />
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

/** The reason that cost most leads to the stops. */
function TopReason({ sums, to }: { readonly sums: SumsView; readonly to: Route | null }) {
  const { noReasonYet } = words.value.production;
  const { topReason, topReasonId, topReasonSeconds } = sums;
  if (topReasonSeconds === 0) return <span />;
  const text = `${topReason ?? topReasonId ?? noReasonYet}, ${workTime(topReasonSeconds)}`;
  return to === null ? <span>{text}</span> : <Link to={to}>{text}</Link>;
}
