import { MINUTE_MS } from '../../../domain/time.ts';
import type { RuleView } from '../../../flows/alert/alert-views.ts';
import type { VariableView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import { now } from '../../show/clock.ts';
import { choiceOf, PERIODS, type VariableChoice } from './choice.ts';
import { type Loaded, loadCurves, PARTS, type Window, withLimits } from './load-curves.ts';

const LONGEST_STEP_MS = 5 * MINUTE_MS;
/** Curves that are shown before one is chosen. */
const FIRST_CURVES = 3;

interface ShownCurves {
  readonly choice: VariableChoice;
  readonly window: Window;
  /** The variables of the machine; null until they have come. */
  readonly all: readonly VariableView[] | null;
  /** Null until the chosen ones have come. */
  readonly loaded: Loaded | null;
}

/** The chosen variables of a machine with their values, their limits and its stops. */
export function useCurves(machineId: string, area: string | null, query: string): ShownCurves {
  const path = `/machines/${encodeURIComponent(machineId)}/variables`;
  const all = useResource(path, () => call<readonly VariableView[]>('GET', path)).value;
  const rules = useResource('rules', () => call<readonly RuleView[]>('GET', '/alerts/rules')).value ?? [];
  const chosen = choiceOf(query);
  const names = chosen.names.length > 0 ? chosen.names : (all ?? []).slice(0, FIRST_CURVES).map(({ name }) => name);
  const choice = { ...chosen, names };
  const shown = (all ?? []).filter(({ name }) => names.includes(name));
  const window = windowOf(choice);
  const key = [path, window.fromMs, window.toMs, ...shown.map(({ name }) => name)].join(' ');
  const loaded = useResource(key, () => loadCurves(machineId, shown, window)).value;
  const limited = (loaded?.curves ?? []).map((curve) => withLimits(curve, rules, { machineId, area }));
  return {
    choice,
    window,
    all,
    loaded: loaded === null || limited.length === 0 ? null : { ...loaded, curves: limited },
  };
}

/** It ends with the step of the clock that lasts now, so that it is loaded again when the next one begins. */
function windowOf({ period, toMs }: VariableChoice): Window {
  const lengthMs = PERIODS[period];
  const stepMs = Math.min(LONGEST_STEP_MS, lengthMs / PARTS);
  const end = toMs ?? Math.ceil(now.value / stepMs) * stepMs;
  return { fromMs: end - lengthMs, toMs: end };
}
