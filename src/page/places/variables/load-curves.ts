import { isAbout } from '../../../domain/alert/findings.ts';
import { shownMeasure } from '../../../domain/units.ts';
import type { RuleView } from '../../../flows/alert/alert-views.ts';
import type { DowntimeView, VariableView } from '../../../flows/local-api/local-api-ports.ts';
import { call, type Outcome, withValue } from '../../api/call.ts';
import { units } from '../../show/measure.ts';
import type { Bucket } from './buckets.ts';

/** Equal parts of the time, of each of which the gateway sums up the values. */
export const PARTS = 400;
const MOST_STOPS = 1_000;

/** The time that is shown, in wall-clock milliseconds. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A line that the values shall not cross, upward or downward. */
export interface Limit {
  readonly value: number;
  readonly isHigh: boolean;
}

/** A variable with its values, in the units that are shown. */
export interface Curve {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  /** The unit in which the machine sends it. */
  readonly sentIn: string | null;
  readonly buckets: readonly Bucket[];
  readonly limits: readonly Limit[];
}

export interface Loaded {
  readonly window: Window;
  readonly curves: readonly Curve[];
  readonly stops: readonly DowntimeView[];
}

export function queryOf({ fromMs, toMs }: Window): string {
  return `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
}

/** The values of some variables of a machine, and its stops. */
export async function loadCurves(
  machineId: string,
  variables: readonly VariableView[],
  window: Window,
): Promise<Outcome<Loaded>> {
  const machine = encodeURIComponent(machineId);
  const query = queryOf(window);
  const [stops, ...outcomes] = await Promise.all([
    call<readonly DowntimeView[]>('GET', `/downtimes?machineId=${machine}&${query}&limit=${MOST_STOPS}`),
    ...variables.map(({ name }) =>
      call<{ readonly buckets: readonly Bucket[] }>(
        'GET',
        `/machines/${machine}/variables/${encodeURIComponent(name)}?${query}&buckets=${PARTS}`,
      ),
    ),
  ]);
  const curves: Curve[] = [];
  for (const [place, variable] of variables.entries()) {
    const outcome = outcomes[place];
    if (outcome === undefined || outcome.kind !== 'done') return outcome ?? { kind: 'noAnswer', isAct: false };
    curves.push(curveOf(variable, outcome.value.buckets));
  }
  return withValue(stops, (value) => ({ window, curves, stops: value }));
}

function curveOf({ name, label, unit }: VariableView, buckets: readonly Bucket[]): Curve {
  const shown = shownIn(unit);
  return {
    name,
    label: label ?? name,
    unit: shown(0).unit,
    sentIn: unit,
    buckets: buckets.map(({ time, min, max, mean }) => ({
      time,
      min: shown(min).value,
      max: shown(max).value,
      mean: shown(mean).value,
    })),
    limits: [],
  };
}

function shownIn(unit: string | null) {
  return (value: number) => shownMeasure({ value, unit: unit ?? '', decimals: 1 }, units);
}

/** The curve with the limits of the alerts about its variable on this machine. */
export function withLimits(
  curve: Curve,
  rules: readonly RuleView[],
  machine: { readonly machineId: string; readonly area: string | null },
): Curve {
  const shown = shownIn(curve.sentIn);
  const limits = rules.flatMap((rule) => {
    const { variable } = rule;
    if (variable?.name !== curve.name || !isAbout(rule, machine)) return [];
    const ends = [
      [variable.low, false],
      [variable.high, true],
    ] as const;
    return ends.flatMap(([value, isHigh]) => (value === null ? [] : [{ value: shown(value).value, isHigh }]));
  });
  return { ...curve, limits };
}

/** When a curve was beyond one of its limits last; null: at no time that is shown. */
export function lastBeyond({ buckets, limits }: Curve): string | null {
  const isBeyond = ({ min, max }: Bucket) => limits.some(({ value, isHigh }) => (isHigh ? max > value : min < value));
  return buckets.filter(isBeyond).at(-1)?.time ?? null;
}
