import { HOUR_MS } from '../../../domain/time.ts';
import type { OverrideView, SpanView } from '../../../flows/local-api/local-api-ports.ts';
import { call, type Outcome, withValue } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import { reasonText } from '../../plant/plant.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { age, timeOfDay } from '../../show/format.ts';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { productionRoute, START } from '../production/choice.ts';

const SHOWN_MS = 8 * HOUR_MS;
const REFRESHED = { everyMs: 15_000 };
/** Percent of the width in which a reason's name has room. */
const LEAST_NAMED = 6;
const MARKS = [0, 2, 4, 6, 8];

/** The last eight hours by height and pattern; red only for a stop without a reason. */
export function Timeline({ machine: { machineId } }: { readonly machine: Machine }) {
  const loaded = useResource(machineId, () => loadTimes(machineId, now.value), REFRESHED);
  const { spans, overrides, toMs } = loaded.value ?? { spans: [], overrides: [], toMs: now.value };
  const fromMs = toMs - SHOWN_MS;
  const bars = spans.map((span) => barOf(span, fromMs, toMs));
  const { lastHours, log } = words.value.machine;
  return (
    <section class="pane" aria-labelledby="timeline">
      <div class="head">
        <h2 class="h3" id="timeline">
          {lastHours}
        </h2>
        <Legend />
      </div>
      <div
        class="tl"
        role="img"
        aria-label={`${lastHours}: ${spokenTotals(spans, fromMs, toMs)}${spokenOverride(overrides, fromMs, toMs)}`}
      >
        {bars.map(({ key, kind, title, reason, left, width }) => (
          <i key={key} class={kind} title={title} style={{ left: `${left}%`, width: `${width}%` }}>
            {width > LEAST_NAMED && reason !== null && <b>{reason}</b>}
          </i>
        ))}
        {overrides.map((span) => (
          <Override key={span.startedAt} span={span} fromMs={fromMs} toMs={toMs} />
        ))}
      </div>
      <div class="axis" aria-hidden="true">
        {MARKS.map((hours) => (
          <span key={hours} style={{ left: `${(hours / 8) * 100}%` }}>
            {timeOfDay(fromMs + hours * HOUR_MS)}
          </span>
        ))}
      </div>
      <p>
        <Link to={productionRoute({ view: 'log', period: '31d', machines: machineId }, START)} class="btn">
          {log}
        </Link>
      </p>
    </section>
  );
}

interface Times {
  readonly spans: readonly SpanView[];
  readonly overrides: readonly OverrideView[];
  readonly toMs: number;
}

async function loadTimes(machineId: string, toMs: number): Promise<Outcome<Times>> {
  const range = `from=${new Date(toMs - SHOWN_MS).toISOString()}&to=${new Date(toMs).toISOString()}`;
  const path = `/machines/${encodeURIComponent(machineId)}`;
  const [spans, overrides] = await Promise.all([
    call<readonly SpanView[]>('GET', `${path}/timeline?${range}`),
    call<readonly OverrideView[]>('GET', `${path}/overrides?${range}`),
  ]);
  if (spans.kind !== 'done') return spans;
  return withValue(overrides, (value) => ({ spans: spans.value, overrides: value, toMs }));
}

function Legend() {
  const texts = words.value.machine;
  const kinds = [
    ['running', texts.running],
    ['stopped', texts.stopped],
    ['down', texts.down],
    ['fault', texts.faulty],
    ['offline', texts.offline],
    ['over', texts.overridden],
    ['open', texts.noReasonYet],
  ] as const;
  return (
    <div class="legend push">
      {kinds.map(([kind, text]) => (
        <span key={kind}>
          <i class={kind} />
          {text}
        </span>
      ))}
    </div>
  );
}

interface OverrideProps {
  readonly span: OverrideView;
  readonly fromMs: number;
  readonly toMs: number;
}

/** An override, on a line of its own, because it overlaps the activities of the machine. */
function Override({ span: { startedAt, endedAt }, fromMs, toMs }: OverrideProps) {
  const startMs = Math.max(fromMs, Date.parse(startedAt));
  const endMs = endedAt === null ? toMs : Math.min(toMs, Date.parse(endedAt));
  const left = ((startMs - fromMs) / SHOWN_MS) * 100;
  const width = (Math.max(0, endMs - startMs) / SHOWN_MS) * 100;
  const title = `${timeOfDay(startedAt)} ${words.value.machine.overridden}`;
  return <i class="over-span" title={title} style={{ left: `${left}%`, width: `${width}%` }} />;
}

function barOf({ state, startedAt, endedAt, downtimeId, reasonId }: SpanView, fromMs: number, toMs: number) {
  const startMs = Math.max(fromMs, Date.parse(startedAt));
  const endMs = endedAt === null ? toMs : Date.parse(endedAt);
  const share = (durationMs: number) => (durationMs / SHOWN_MS) * 100;
  const kind = downtimeId !== null && reasonId === null ? 'open' : state;
  const reason = reasonText(reasonId);
  const title = `${timeOfDay(startedAt)} ${reason ?? ''}`;
  return {
    key: startedAt,
    kind,
    title,
    reason,
    left: share(startMs - fromMs),
    width: Math.max(0, share(endMs - startMs)),
  };
}

function spokenOverride(spans: readonly OverrideView[], fromMs: number, toMs: number): string {
  const totalMs = spans.reduce((sum, { startedAt, endedAt }) => {
    const endMs = endedAt === null ? toMs : Date.parse(endedAt);
    return sum + endMs - Math.max(fromMs, Date.parse(startedAt));
  }, 0);
  return spans.length === 0 ? '' : `, ${words.value.machine.overridden} ${age(totalMs)}`;
}

function spokenTotals(spans: readonly SpanView[], fromMs: number, toMs: number): string {
  const texts = words.value.machine;
  const names: Readonly<Record<SpanView['state'], string>> = {
    running: texts.running,
    stopped: texts.stopped,
    down: texts.down,
    fault: texts.faulty,
    offline: texts.offline,
  };
  const totals = new Map<SpanView['state'], number>();
  for (const { state, startedAt, endedAt } of spans) {
    const lastingMs = (endedAt === null ? toMs : Date.parse(endedAt)) - Math.max(fromMs, Date.parse(startedAt));
    totals.set(state, (totals.get(state) ?? 0) + lastingMs);
  }
  return [...totals].map(([state, totalMs]) => `${names[state]} ${age(totalMs)}`).join(', ');
}
