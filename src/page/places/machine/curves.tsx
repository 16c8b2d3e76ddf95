import type { VariableView } from '../../../flows/local-api/local-api-ports.ts';
import { call, withValue } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { timeOrDate } from '../../show/format.ts';
import { Link } from '../../show/link.tsx';
import { measured } from '../../show/measure.ts';
import { words } from '../../words/words.ts';
import { type Bucket, bandOf, extentOf, lineOf, runsOf } from '../variables/buckets.ts';
import { variablesRoute } from '../variables/choice.ts';

const SHOWN_MS = 8 * 60 * 60_000;
const BUCKETS = 240;
const REFRESHED = { everyMs: 15_000 };
const WIDTH = 960;
const HEIGHT = 64;

/** The process variables that are tracked, over the last eight hours. */
export function Curves({ machine: { machineId } }: { readonly machine: Machine }) {
  const path = `/machines/${encodeURIComponent(machineId)}/variables`;
  const load = () => call<readonly VariableView[]>('GET', path);
  const variables = useResource(path, load, REFRESHED).value ?? [];
  if (variables.length === 0) return null;
  return (
    <section class="pane stack" aria-label={words.value.machine.variables}>
      <div class="head">
        <h2 class="h3 grow">{words.value.machine.variables}</h2>
        <Link class="btn" to={variablesRoute(machineId, {})}>
          {words.value.machine.explore}
        </Link>
      </div>
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
  const { low, high } = extentOf(buckets) ?? { low: 0, high: 1 };
  const runs = runsOf(buckets, SHOWN_MS / BUCKETS);
  const scales = {
    x: (time: string) => WIDTH - ((toMs - Date.parse(time)) / SHOWN_MS) * WIDTH,
    y: (value: number) => HEIGHT - 4 - ((value - low) / (high - low || 1)) * (HEIGHT - 8),
  };
  const shown = measured(value, unit ?? '', 1);
  return (
    <div class="curve">
      <div>
        <Link class="small dim" to={variablesRoute(machineId, { names: [name] })}>
          {label ?? name}
        </Link>
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
        <path class="g-line" d={`M0 ${HEIGHT - 4}H${WIDTH}M0 4H${WIDTH}`} />
        <path class="env" d={bandOf(runs, scales)} />
        <path class="line" d={lineOf(runs, scales)} />
      </svg>
    </div>
  );
}

function lastHours(atMs: number): string {
  return `from=${new Date(atMs - SHOWN_MS).toISOString()}&to=${new Date(atMs).toISOString()}`;
}
