import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SpanView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import type { Machine } from '../../plant/machine-state.ts';
import { reasonText } from '../../plant/plant.ts';
import { now } from '../../show/clock.ts';
import { age, timeOfDay } from '../../show/format.ts';
import { words } from '../../words/words.ts';

const HOUR_MS = 60 * 60_000;
const SHOWN_MS = 8 * HOUR_MS;
const REFRESH_MS = 15_000;
/** Percent of the width in which a reason's name has room. */
const LEAST_NAMED = 6;
const MARKS = [0, 2, 4, 6, 8];

/** The last eight hours by height and pattern; red only for a stop without a reason. */
export function Timeline({ machine: { machineId } }: { readonly machine: Machine }) {
  const spans = useSignal<readonly SpanView[]>([]);
  const toMs = useSignal(now.value);
  useEffect(() => {
    const load = async () => {
      const at = now.value;
      const range = `from=${new Date(at - SHOWN_MS).toISOString()}&to=${new Date(at).toISOString()}`;
      const outcome = await call<readonly SpanView[]>(
        'GET',
        `/machines/${encodeURIComponent(machineId)}/timeline?${range}`,
      );
      if (outcome.kind !== 'done') return;
      toMs.value = at;
      spans.value = outcome.value;
    };
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [machineId, spans, toMs]);
  const fromMs = toMs.value - SHOWN_MS;
  const bars = spans.value.map((span) => barOf(span, fromMs, toMs.value));
  const { lastHours } = words.value.machine;
  return (
    <section class="pane" aria-labelledby="timeline">
      <div class="head">
        <h2 class="h3" id="timeline">
          {lastHours}
        </h2>
        <Legend />
      </div>
      <div class="tl" role="img" aria-label={`${lastHours}: ${spokenTotals(spans.value, fromMs, toMs.value)}`}>
        {bars.map(({ key, kind, title, reason, left, width }) => (
          <i key={key} class={kind} title={title} style={{ left: `${left}%`, width: `${width}%` }}>
            {width > LEAST_NAMED && reason !== null && <b>{reason}</b>}
          </i>
        ))}
      </div>
      <div class="axis" aria-hidden="true">
        {MARKS.map((hours) => (
          <span key={hours} style={{ left: `${(hours / 8) * 100}%` }}>
            {timeOfDay(fromMs + hours * HOUR_MS)}
          </span>
        ))}
      </div>
    </section>
  );
}

function Legend() {
  const said = words.value.machine;
  const kinds = [
    ['running', said.running],
    ['stopped', said.stopped],
    ['down', said.down],
    ['fault', said.faulty],
    ['offline', said.offline],
    ['open', said.noReasonYet],
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

function spokenTotals(spans: readonly SpanView[], fromMs: number, toMs: number): string {
  const said = words.value.machine;
  const names: Readonly<Record<SpanView['state'], string>> = {
    running: said.running,
    stopped: said.stopped,
    down: said.down,
    fault: said.faulty,
    offline: said.offline,
  };
  const totals = new Map<SpanView['state'], number>();
  for (const { state, startedAt, endedAt } of spans) {
    const lastingMs = (endedAt === null ? toMs : Date.parse(endedAt)) - Math.max(fromMs, Date.parse(startedAt));
    totals.set(state, (totals.get(state) ?? 0) + lastingMs);
  }
  return [...totals].map(([state, totalMs]) => `${names[state]} ${age(totalMs)}`).join(', ');
}
