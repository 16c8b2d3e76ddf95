import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { groupBy } from '../../../domain/group-by.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { HourlyProduction, ProductionRow } from '../../../flows/local-api/local-api-ports.ts';
import { call, type Outcome, withValue } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { number, productionDay, timeOfDay } from '../../show/format.ts';
import { words } from '../../words/words.ts';

const REFRESHED = { everyMs: 30_000 };
/** The hours of the present production day, or so many days up to it. */
const RANGES = ['hours', 7, 31] as const;
type Range = (typeof RANGES)[number];

/** Production of one hour or one day. */
interface Bar {
  readonly key: string;
  readonly label: string;
  readonly good: number;
  readonly bad: number;
}

/** Production by the hour of this production day, and by day over a week or a month. */
export function Production({ machine: { machineId, shift } }: { readonly machine: Machine }) {
  const range = useSignal<Range>('hours');
  const bars = useBars(machineId, shift.shiftDate, range.value);
  const { machine: texts, andon } = words.value;
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const list = useRef<HTMLOListElement>(null);
  // The newest stands at the end, which a month does not show at once.
  useLayoutEffect(() => list.current?.scrollTo({ left: list.current.scrollWidth }), [bars.length]);
  return (
    <section class="pane" aria-labelledby="production">
      <div class="head">
        <h2 class="h3" id="production">
          {texts.production}
        </h2>
        <div class="tabs push">
          {RANGES.map((one) => (
            <button
              type="button"
              class="tab"
              key={one}
              aria-pressed={range.value === one}
              onClick={() => {
                range.value = one;
              }}
            >
              {one === 'hours' ? texts.byHour : texts.days(one)}
            </button>
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <ol class="bars" aria-label={texts.production} tabIndex={0} ref={list}>
        {bars.map(({ key, label, good, bad }) => (
          <li key={key}>
            <span class="num" aria-hidden="true">
              {good + bad === 0 ? '' : number(good + bad)}
            </span>
            <i aria-hidden="true">
              <i class="scrap" style={{ height: `${(bad / most) * 100}%` }} />
              <i style={{ height: `${(good / most) * 100}%` }} />
            </i>
            <span class="at" aria-hidden="true">
              {label}
            </span>
            <span class="sr">{`${label}: ${number(good)} ${andon.good}, ${number(bad)} ${andon.scrap}`}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function useBars(machineId: string, shiftDate: string, range: Range): readonly Bar[] {
  const load = () => (range === 'hours' ? hourBars(machineId) : dayBars(machineId, shiftDate, range));
  return useResource(`${machineId} ${shiftDate} ${range}`, load, REFRESHED).value ?? [];
}

async function hourBars(machineId: string): Promise<Outcome<readonly Bar[]>> {
  const outcome = await call<HourlyProduction>('GET', `${pathOf(machineId)}/hours`);
  return withValue(outcome, ({ hours }) =>
    hours.map(({ startsAt, goodParts, badParts }) => ({
      key: startsAt,
      label: timeOfDay(startsAt),
      good: goodParts,
      bad: badParts,
    })),
  );
}

async function dayBars(machineId: string, to: string, days: number): Promise<Outcome<readonly Bar[]>> {
  const dates = Array.from({ length: days }, (_, before) => dateBefore(to, days - 1 - before));
  const query = `from=${dates[0] ?? to}&to=${to}`;
  const outcome = await call<readonly ProductionRow[]>('GET', `${pathOf(machineId)}/shifts?${query}`);
  return withValue(outcome, (production) => {
    const rows = groupBy(production, ({ shiftDate }) => shiftDate);
    return dates.map((date) => dayBar(date, rows.get(date) ?? []));
  });
}

function dayBar(date: string, rows: readonly ProductionRow[]): Bar {
  return {
    key: date,
    label: productionDay(date),
    good: rows.reduce((sum, { goodParts }) => sum + goodParts, 0),
    bad: rows.reduce((sum, { badParts }) => sum + badParts, 0),
  };
}

function dateBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10);
}

function pathOf(machineId: string): string {
  return `/machines/${encodeURIComponent(machineId)}/production`;
}
