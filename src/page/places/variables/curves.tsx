import { useSignal } from '@preact/signals';
import { DAY_MS } from '../../../domain/time.ts';
import { reasonText } from '../../plant/plant.ts';
import { now } from '../../show/clock.ts';
import { day, timeOfDay, timeOrDay } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import type { VariableChoice } from './choice.ts';
import { type Loaded, PARTS, queryOf, type Window } from './load-curves.ts';
import { bucketAt, type StopBand, valueText, Wave, WIDTH } from './wave.tsx';

interface CurvesProps {
  readonly machineId: string;
  readonly choice: VariableChoice;
  readonly loaded: Loaded;
}

const MARKS = [0, 0.25, 0.5, 0.75, 1];
const STRIP_HEIGHT = 20;
const TABLE_ROWS = 24;

/** Curves over one time. The cursor follows a finger, the mouse and the keys; its values stand in the sentence above. */
export function Curves({ machineId, choice, loaded }: CurvesProps) {
  const texts = words.value.variables;
  const { window, curves, stops } = loaded;
  const { fromMs, toMs } = window;
  const part = useSignal(PARTS);
  const cursor = part.value / PARTS;
  const atMs = Math.min(fromMs + cursor * (toMs - fromMs), now.value);
  const bands = stops.map((stop) => bandOf(stop, loaded));
  const stop = stops.find(
    ({ startedAt, endedAt }) => Date.parse(startedAt) <= atMs && (endedAt === null || Date.parse(endedAt) > atMs),
  );
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    part.value = Math.round(Math.min(1, Math.max(0, (event.clientX - left) / width)) * PARTS);
  };
  const said = [
    ...curves.map((curve) => `${curve.label} ${valueText(bucketAt(curve.buckets, atMs, window), curve)}`),
    ...(stop === undefined ? [] : [reasonText(stop.reasonId) ?? words.value.production.noReasonYet]),
  ].join(', ');
  return (
    <section class="pane" aria-label={texts.curves}>
      <p>
        <b>{texts.at(timeOrDay(atMs))}</b> {said}
      </p>
      {curves.map((curve) => (
        <Wave
          key={curve.name}
          curve={curve}
          window={window}
          typed={choice.scale === 'typed' ? (choice.ranges[curve.name] ?? null) : null}
          showsLimits={choice.scale === 'limits'}
          stops={bands}
          cursor={cursor}
          onPoint={point}
          csv={`/machines/${encodeURIComponent(machineId)}/variables/${encodeURIComponent(curve.name)}?${queryOf(window)}&format=csv`}
        />
      ))}
      <div class="wave">
        <span class="wave-name small dim">{texts.stops}</span>
        <div class="wave-plot wave-strip">
          <StopStrip bands={bands} window={window} />
          <input
            type="range"
            class="split-bar"
            aria-label={texts.cursor}
            aria-valuetext={`${timeOrDay(atMs)}: ${said}`}
            min={0}
            max={PARTS}
            value={part.value}
            onInput={({ currentTarget }) => (part.value = currentTarget.valueAsNumber)}
          />
        </div>
      </div>
      <CurveTable loaded={loaded} />
    </section>
  );
}

/** The stops on a line of their own, and the times below. */
function StopStrip({ bands, window }: { readonly bands: readonly StopBand[]; readonly window: Window }) {
  const { fromMs, toMs } = window;
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${STRIP_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bands.map(({ key, from, to, isOpen }) => (
          <rect
            key={key}
            class={isOpen ? 'f-now' : 'f-down'}
            x={from * WIDTH}
            width={Math.max(1, (to - from) * WIDTH)}
            height={STRIP_HEIGHT}
          />
        ))}
      </svg>
      <div class="axis" aria-hidden="true">
        {MARKS.map((mark) => (
          <span key={mark} style={{ left: `${mark * 100}%` }}>
            {markText(fromMs + mark * (toMs - fromMs), toMs - fromMs)}
          </span>
        ))}
      </div>
    </>
  );
}

function bandOf({ downtimeId, startedAt, endedAt, reasonId }: Loaded['stops'][number], { window }: Loaded): StopBand {
  const { fromMs, toMs } = window;
  const share = (atMs: number) => Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs)));
  return {
    key: downtimeId,
    from: share(Date.parse(startedAt)),
    to: share(endedAt === null ? toMs : Date.parse(endedAt)),
    isOpen: reasonId === null,
  };
}

function markText(atMs: number, lengthMs: number): string {
  return lengthMs > DAY_MS ? day(atMs) : timeOfDay(atMs);
}

/** The curves for those who read them: the values at equal times. */
function CurveTable({ loaded: { window, curves } }: { readonly loaded: Loaded }) {
  const { fromMs, toMs } = window;
  const times = Array.from({ length: TABLE_ROWS }, (_, row) => fromMs + ((row + 1) / TABLE_ROWS) * (toMs - fromMs));
  return (
    <div class="sr">
      <table>
        <caption>{words.value.variables.curves}</caption>
        <thead>
          <tr>
            <th scope="col">{words.value.production.time}</th>
            {curves.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((atMs) => (
            <tr key={atMs}>
              <th scope="row">{timeOrDay(atMs)}</th>
              {curves.map((curve) => (
                <td key={curve.name}>{valueText(bucketAt(curve.buckets, atMs, window), curve)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
