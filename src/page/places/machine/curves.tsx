import type { VariableView } from '../../../flows/local-api/local-api-ports.ts';
import { call, withValue } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { FileLink } from '../../show/file-link.tsx';
import { timeOrDate } from '../../show/format.ts';
import { measured } from '../../show/measure.ts';
import { words } from '../../words/words.ts';

const SHOWN_MS = 8 * 60 * 60_000;
const BUCKETS = 240;
const REFRESHED = { everyMs: 15_000 };
const WIDTH = 960;
const HEIGHT = 64;

interface Bucket {
  readonly time: string;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

/** The process variables that are tracked, over the last eight hours. */
export function Curves({ machine: { machineId } }: { readonly machine: Machine }) {
  const path = `/machines/${encodeURIComponent(machineId)}/variables`;
  const load = () => call<readonly VariableView[]>('GET', path);
  const variables = useResource(path, load, REFRESHED).value ?? [];
  if (variables.length === 0) return null;
  return (
    <section class="pane stack" aria-label={words.value.machine.variables}>
      <h2 class="h3">{words.value.machine.variables}</h2>
      {variables.map((variable) => (
        <Curve key={variable.name} machineId={machineId} variable={variable} />
      ))}
    </section>
  );
}

interface CurveProps {
  readonly machineId: string;
  readonly variable: VariableView;
}

function Curve({ machineId, variable: { name, label, unit, value, at } }: CurveProps) {
  const path = `/machines/${encodeURIComponent(machineId)}/variables/${encodeURIComponent(name)}`;
  const load = async () => {
    const toMs = now.value;
    const query = `?${lastHours(toMs)}&buckets=${BUCKETS}`;
    const outcome = await call<{ readonly buckets: readonly Bucket[] }>('GET', path + query);
    return withValue(outcome, ({ buckets }) => ({ buckets, toMs }));
  };
  const loaded = useResource(path, load, REFRESHED);
  const { buckets, toMs } = loaded.value ?? { buckets: [], toMs: now.value };
  const shown = measured(value, unit ?? '', 1);
  return (
    <div class="curve">
      <div>
        <FileLink
          class="small dim"
          path={`${path}?${lastHours(toMs)}&format=csv`}
          title={words.value.machine.variableCsv}
        >
          {label ?? name}
        </FileLink>
        <br />
        <b class="num">{shown.text}</b> <span class="small dim">{shown.unit}</span>
        <br />
        <span class="small dim">{at === null ? words.value.machine.neverSent : timeOrDate(at)}</span>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.value.machine.variableNow(label ?? name, `${shown.text} ${shown.unit}`.trim())}
      >
        <path class="grid" d={`M0 ${HEIGHT - 4}H${WIDTH}M0 4H${WIDTH}`} />
        <path class="area" d={bandOf(buckets, toMs)} />
        <path class="line" d={lineOf(buckets, toMs)} />
      </svg>
    </div>
  );
}

function lastHours(atMs: number): string {
  return `from=${new Date(atMs - SHOWN_MS).toISOString()}&to=${new Date(atMs).toISOString()}`;
}

/** The mean as a line. */
function lineOf(buckets: readonly Bucket[], toMs: number): string {
  const place = placing(buckets, toMs);
  return buckets.map(({ time, mean }, index) => `${index === 0 ? 'M' : 'L'}${place(time, mean)}`).join('');
}

/** From the least to the greatest of each bucket. */
function bandOf(buckets: readonly Bucket[], toMs: number): string {
  const place = placing(buckets, toMs);
  const upper = buckets.map(({ time, max }) => place(time, max));
  const lower = buckets.map(({ time, min }) => place(time, min)).reverse();
  return buckets.length === 0 ? '' : `M${[...upper, ...lower].join('L')}Z`;
}

function placing(buckets: readonly Bucket[], toMs: number): (time: string, value: number) => string {
  const least = Math.min(...buckets.map(({ min }) => min));
  const span = Math.max(...buckets.map(({ max }) => max)) - least || 1;
  return (time, value) => {
    const x = WIDTH - ((toMs - Date.parse(time)) / SHOWN_MS) * WIDTH;
    const y = HEIGHT - 4 - ((value - least) / span) * (HEIGHT - 8);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
}
