import type { WorkView } from '../../../flows/production/production-views.ts';
import { number, percent, wholePercent, workTime } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { choice, chooseProduction } from './choice.ts';
import { scrapShare } from './figures.tsx';
import { useReport, ViewFrame } from './view-frame.tsx';

const SPLITS = ['part', 'job', 'operator'] as const;

/** The pieces by part, job or operator, with their pace and scrap. */
export function PartsView({ scope }: { readonly scope: string }) {
  const by = SPLITS.find((split) => split === choice.value.by) ?? 'part';
  const report = useReport<WorkView>('work', `by=${by}&${scope}`);
  const texts = words.value.production;
  if (report === null) return <ViewFrame answer={words.value.trouble.waits} file="" children={null} />;
  const scrap = scrapShare(report.total);
  const made = texts.made(number(report.total.goodParts), texts.when(choice.value.period));
  const answer = scrap === null ? made : `${made}, ${texts.scrapOf(percent(scrap))}`;
  return (
    <ViewFrame
      answer={answer}
      more={by === 'part' ? slowest(report.rows) : ''}
      file={`/production/work?format=csv&by=${by}&${scope}`}
      shiftNames={report.shiftNames}
    >
      <section class="pane flush" aria-label={texts.views.parts}>
        <div class="head pad">
          <div class="seg" role="group" aria-label={texts.summedBy}>
            {SPLITS.map((split) => (
              <button
                type="button"
                key={split}
                aria-pressed={split === by}
                onClick={() => chooseProduction({ by: split === 'part' ? '' : split })}
              >
                {texts.splits[split]}
              </button>
            ))}
          </div>
        </div>
        <WorkTable rows={report.rows} label={texts.splits[by]} />
      </section>
      <p class="small dim">{texts.piecesAnHour}</p>
    </ViewFrame>
  );
}

/** The parts that are furthest below their rate. */
function slowest(rows: readonly WorkView[]): string {
  const texts = words.value.production;
  const slow = rows
    .filter(({ effectiveness }) => effectiveness !== null && effectiveness < 0.95)
    .sort((one, other) => (one.effectiveness ?? 1) - (other.effectiveness ?? 1))
    .slice(0, 2)
    .map(({ key }) => key ?? '');
  const unrated = rows.filter(({ key, ratedParts }) => key !== null && ratedParts === 0).length;
  return [slow.length === 0 ? '' : texts.slowest(slow.join(', ')), unrated === 0 ? '' : texts.withoutRate(unrated)]
    .filter((text) => text !== '')
    .join(' ');
}

function WorkTable({ rows, label }: { readonly rows: readonly WorkView[]; readonly label: string }) {
  const texts = words.value.production;
  return (
    <table class="table cards-s">
      <thead>
        <tr>
          <th scope="col">{label}</th>
          <th scope="col" class="rightc">
            {texts.good}
          </th>
          <th scope="col" class="rightc">
            {texts.scrap}
          </th>
          <th scope="col" class="rightc">
            {texts.hoursRun}
          </th>
          <th scope="col" class="rightc">
            {texts.anHour}
          </th>
          <th scope="col" class="rightc">
            {texts.againstRate}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <WorkRow key={row.key} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function WorkRow({ row }: { readonly row: WorkView }) {
  const texts = words.value.production;
  const scrap = scrapShare(row);
  return (
    <tr>
      <th scope="row">
        {row.key ?? texts.notSent}
        {row.name !== null && row.name !== row.key && <small> {row.name}</small>}
      </th>
      <td class="rightc" data-k={texts.good}>
        {number(row.goodParts)}
      </td>
      <td class="rightc" data-k={texts.scrap}>
        {scrap === null ? '–' : percent(scrap)}
      </td>
      <td class="rightc" data-k={texts.hoursRun}>
        {workTime(row.runningSeconds)}
      </td>
      <td class="rightc" data-k={texts.anHour}>
        {row.partsPerHour === null ? '–' : number(row.partsPerHour, 0)}
      </td>
      <td class="rightc" data-k={texts.againstRate}>
        {row.effectiveness === null ? texts.withoutOwnRate : wholePercent(row.effectiveness)}
      </td>
    </tr>
  );
}
