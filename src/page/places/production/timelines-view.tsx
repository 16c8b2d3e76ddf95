import { useSignal } from '@preact/signals';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { SpanView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import type { Route } from '../../app/route.ts';
import { useResource } from '../../app/use-resource.ts';
import { machinesNow, presentShift } from '../../plant/machines.ts';
import { reasonText } from '../../plant/plant.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { dateAndTime, timeOfDay, wholePercent } from '../../show/format.ts';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { areaOf, choice, days } from './choice.ts';
import { TimeKey } from './time-mix.tsx';
import { ViewFrame } from './view-frame.tsx';

/** Machines whose timelines are loaded at once. */
const LANES_AT_ONCE = 20;
const REFRESHED = { everyMs: 30_000 };
const MARKS = [0, 4, 8, 12, 16, 20, 24];

/** When each machine ran: 24 hours, one line for each. */
export function TimelinesView() {
  const shown = useSignal(LANES_AT_ONCE);
  const texts = words.value.production;
  const toMs = now.value - daysBack() * DAY_MS;
  const machines = machinesNow.value.filter(isChosen);
  const running = machines.filter(({ activity }) => activity === 'running').length;
  return (
    <ViewFrame answer={texts.running(running, machines.length)} more={texts.upTo(dateAndTime(toMs))} file="">
      <section class="pane" aria-label={texts.views.timelines}>
        <Lanes
          machines={machines.slice(0, shown.value).map(({ machineId, name }) => {
            return { path: `/machines/${encodeURIComponent(machineId)}`, name, to: { place: 'machine', machineId } };
          })}
          toMs={toMs}
        />
        {machines.length > shown.value && (
          <button type="button" class="btn" onClick={() => (shown.value += LANES_AT_ONCE)}>
            {texts.moreMachines(machines.length - shown.value)}
          </button>
        )}
      </section>
      <TimeKey />
    </ViewFrame>
  );
}

/** A machine with a timeline. */
interface LaneMachine {
  /** Below `/api/local`. */
  readonly path: string;
  readonly name: string;
  /** Its place; null: it has none here. */
  readonly to: Route | null;
}

/** The 24 hours before a time, one line for each machine. A slider reads all lines at one time. */
export function Lanes({ machines, toMs }: { readonly machines: readonly LaneMachine[]; readonly toMs: number }) {
  const back = useSignal(0);
  const texts = words.value.production;
  const fromMs = toMs - DAY_MS;
  const cursorMs = toMs - back.value;
  return (
    <div class="lanes">
      {machines.map((machine) => (
        <Lane key={machine.path} machine={machine} fromMs={fromMs} toMs={toMs} cursorMs={cursorMs} />
      ))}
      <div class="lane" aria-hidden="true">
        <span />
        <div class="axis">
          {MARKS.map((hours) => (
            <span key={hours} style={{ left: `${(hours / 24) * 100}%` }}>
              {timeOfDay(fromMs + hours * HOUR_MS)}
            </span>
          ))}
        </div>
      </div>
      <label class="lane">
        <span>{texts.atTime(timeOfDay(cursorMs))}</span>
        <input
          type="range"
          class="split-bar"
          aria-valuetext={dateAndTime(cursorMs)}
          min={0}
          max={DAY_MS}
          step={60_000}
          value={DAY_MS - back.value}
          onInput={({ currentTarget }) => (back.value = DAY_MS - currentTarget.valueAsNumber)}
        />
      </label>
    </div>
  );
}

function isChosen({ machineId, area: own }: Machine): boolean {
  const { machines } = choice.value;
  const area = areaOf(machines);
  if (area !== null) return own === area;
  return machines === 'all' || machines === machineId;
}

/** Days between the end of the chosen period and today. */
function daysBack(): number {
  const today = presentShift.value?.shiftDate;
  const to = days.value?.to;
  return today === undefined || to === undefined ? 0 : Math.max(0, (Date.parse(today) - Date.parse(to)) / DAY_MS);
}

interface LaneProps {
  readonly machine: LaneMachine;
  readonly fromMs: number;
  readonly toMs: number;
  readonly cursorMs: number;
}

const FILLS = {
  running: 'f-run',
  stopped: 'f-short',
  down: 'f-down',
  fault: 'url(#p-fault)',
  offline: 'url(#p-off)',
} as const;

function Lane({ machine: { path: machine, name, to }, fromMs, toMs, cursorMs }: LaneProps) {
  const minute = Math.floor(toMs / 60_000);
  const range = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
  const path = `${machine}/timeline?${range}`;
  const spans =
    useResource(`${machine} ${minute}`, () => call<readonly SpanView[]>('GET', path), REFRESHED).value ?? [];
  const bars = spans.map((span) => barOf(span, fromMs, toMs));
  const ran = bars.filter(({ state }) => state === 'running').reduce((sum, { width }) => sum + width, 0) / 100;
  const at = spans.filter(({ startedAt }) => Date.parse(startedAt) <= cursorMs).at(-1);
  const texts = words.value.production;
  const title = (
    <>
      {name}
      <small>{at === undefined ? texts.unknown : stateText(at)}</small>
    </>
  );
  return (
    <div class="lane">
      {to === null ? <span>{title}</span> : <Link to={to}>{title}</Link>}
      <svg class="mix mix-s" role="img" aria-label={`${name}: ${texts.ranShare(wholePercent(ran))}`}>
        {bars.map(({ key, fill, left, width, isOpen }) => (
          <rect
            key={key}
            x={`${left}%`}
            width={`${width}%`}
            height="100%"
            class={isOpen ? 'f-now' : fill.startsWith('url') ? undefined : fill}
            fill={!isOpen && fill.startsWith('url') ? fill : undefined}
          />
        ))}
        <rect class="f-ink" x={`${((cursorMs - fromMs) / DAY_MS) * 100}%`} width="2" height="100%" />
      </svg>
      <span class="num">{wholePercent(ran)}</span>
    </div>
  );
}

function stateText({ state, downtimeId, reasonId }: SpanView): string {
  const texts = words.value.production;
  if (state !== 'down') return texts.states[state];
  return downtimeId !== null && reasonId === null ? texts.noReasonYet : (reasonText(reasonId) ?? texts.states.down);
}

function barOf({ state, startedAt, endedAt, downtimeId, reasonId }: SpanView, fromMs: number, toMs: number) {
  const startMs = Math.max(fromMs, Date.parse(startedAt));
  const endMs = Math.min(toMs, endedAt === null ? toMs : Date.parse(endedAt));
  return {
    key: startedAt,
    state,
    fill: FILLS[state],
    isOpen: downtimeId !== null && reasonId === null,
    left: ((startMs - fromMs) / DAY_MS) * 100,
    width: (Math.max(0, endMs - startMs) / DAY_MS) * 100,
  };
}
