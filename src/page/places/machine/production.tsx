import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { groupBy } from '../../../domain/group-by.ts';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { HourlyProduction, ProductionRow } from '../../../flows/local-api/local-api-ports.ts';
import { call, type Outcome, withValue } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { gatewayNowMs } from '../../show/clock.ts';
import { number, productionDay, timeOfDay } from '../../show/format.ts';
import { words } from '../../words/words.ts';

const REFRESHED = { everyMs: 30_000 };
/** The hours of the present production day, or so many days up to it. */
const RANGES = ['hours', 7, 31] as const;
type Range = (typeof RANGES)[number];

/** Production of one hour or one day. */
interface Bar {
  /** Not made yet: `good` is the forecast. */
  readonly isAhead?: boolean;
  readonly target?: number | null;
  readonly key: string;
  readonly label: string;
  readonly good: number;
  readonly bad: number;
}

/** Production by the hour of this production day, and by day over a week or a month. */
export function Production({ machine: { machineId, shift } }: { readonly machine: Machine }) {
  const range = useSignal<Range>('hours');
  const shown = useProduction(machineId, shift.shiftDate, range.value);
  const { bars = [], outlook = null } = shown ?? {};
  const { machine: texts, andon } = words.value;
  const most = Math.max(1, ...bars.map(({ good, bad, target }) => Math.max(good + bad, target ?? 0)));
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
      {outlook !== null && <Outlook outlook={outlook} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <ol class="bars" aria-label={texts.production} tabIndex={0} ref={list}>
        {bars.map(({ key, label, good, bad, target = null, isAhead = false }) => (
          <li key={key} class={isAhead ? 'ahead' : undefined}>
            <span class="num" aria-hidden="true">
              {good + bad === 0 ? '' : number(good + bad)}
            </span>
            <i aria-hidden="true">
              {target !== null && target > 0 && <b style={{ bottom: `${(target / most) * 100}%` }} />}
              <i class="scrap" style={{ height: `${(bad / most) * 100}%` }} />
              <i style={{ height: `${(good / most) * 100}%` }} />
            </i>
            <span class="at" aria-hidden="true">
              {label}
            </span>
            <span class="sr">
              {isAhead
                ? `${label}: ${texts.forecast} ${number(good)}`
                : `${label}: ${number(good)} ${andon.good}, ${number(bad)} ${andon.scrap}`}
              {target !== null && `, ${texts.target} ${number(Math.round(target))}`}
            </span>
          </li>
        ))}
      </ol>
      {bars.some(({ target = null }) => target !== null) && <HourTable bars={bars.filter(isOver)} />}
    </section>
  );
}

/** Whether the target is reached by the end of the day, and at which pace. */
function Outlook({ outlook }: { readonly outlook: NonNullable<HourlyProduction['outlook']> }) {
  const { machine: texts } = words.value;
  const { goodParts, targetParts, targetByNow, forecastParts, partsPerHour, neededPerHour, isEarly, endsAt } = outlook;
  const rounded = (value: number) => number(Math.round(value));
  const difference = Math.round(goodParts - targetByNow);
  return (
    <p>
      <b>{texts.atThisPace(rounded(forecastParts), rounded(targetParts), timeOfDay(endsAt))}</b>{' '}
      {difference < 0 ? texts.behind(number(-difference)) : texts.ahead(number(difference))}{' '}
      <span class="dim">
        {isEarly && texts.tooEarly}
        {!isEarly && neededPerHour !== null && texts.needed(rounded(neededPerHour), rounded(partsPerHour))}
      </span>
    </p>
  );
}

/** The target of an hour that lasts is not due yet. */
function isOver({ key }: Bar): boolean {
  return Date.parse(key) + HOUR_MS <= gatewayNowMs();
}

/** Each hour against its target, the newest first. */
function HourTable({ bars }: { readonly bars: readonly Bar[] }) {
  const { machine: texts, production } = words.value;
  let sum = 0;
  const rows = bars.map(({ key, label, good, target }) => {
    sum += good - (target ?? 0);
    return { key, label, good, target: Math.round(target ?? 0), sum: Math.round(sum) };
  });
  return (
    <details>
      <summary>{texts.hourByHour}</summary>
      <table class="table">
        <thead>
          <tr>
            <th>{texts.hour}</th>
            <th class="right">{production.target}</th>
            <th class="right">{production.good}</th>
            <th class="right">+/−</th>
            <th class="right">{texts.sum}</th>
          </tr>
        </thead>
        <tbody>
          {[...rows].reverse().map(({ key, label, good, target, sum: left }) => (
            <tr key={key}>
              <td>{label}</td>
              <td class="right">{number(target)}</td>
              <td class="right">{number(good)}</td>
              <td class="right">{number(good - target)}</td>
              <td class="right">{number(left)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

interface Shown {
  readonly bars: readonly Bar[];
  readonly outlook: HourlyProduction['outlook'];
}

function useProduction(machineId: string, shiftDate: string, range: Range): Shown | null {
  const load = () => (range === 'hours' ? hourBars(machineId) : dayBars(machineId, shiftDate, range));
  return useResource<Shown>(`${machineId} ${shiftDate} ${range}`, load, REFRESHED).value;
}

async function hourBars(machineId: string): Promise<Outcome<Shown>> {
  const outcome = await call<HourlyProduction>('GET', `${pathOf(machineId)}/hours`);
  return withValue(outcome, ({ hours, coming, outlook }) => {
    const made = hours.map(({ startsAt, goodParts: good, badParts: bad, targetParts: target }) => {
      return { key: startsAt, label: timeOfDay(startsAt), good, bad, target };
    });
    const ahead = coming.map(({ startsAt, forecastParts, targetParts: target }) => {
      return {
        key: startsAt,
        label: timeOfDay(startsAt),
        good: Math.round(forecastParts),
        bad: 0,
        target,
        isAhead: true,
      };
    });
    return { bars: [...made, ...ahead], outlook };
  });
}

async function dayBars(machineId: string, to: string, days: number): Promise<Outcome<Shown>> {
  const dates = Array.from({ length: days }, (_, before) => dateBefore(to, days - 1 - before));
  const query = `from=${dates[0] ?? to}&to=${to}`;
  const outcome = await call<readonly ProductionRow[]>('GET', `${pathOf(machineId)}/shifts?${query}`);
  return withValue(outcome, (production) => {
    const rows = groupBy(production, ({ shiftDate }) => shiftDate);
    return { bars: dates.map((date) => dayBar(date, rows.get(date) ?? [])), outlook: null };
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
