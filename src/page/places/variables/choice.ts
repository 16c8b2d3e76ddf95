import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { amend, type Route } from '../../app/route.ts';
import type { Range } from './buckets.ts';

/** Lengths of time that can be chosen. */
export const PERIODS = { '8h': 8 * HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '90d': 90 * DAY_MS };
export type Period = keyof typeof PERIODS;

/** The values alone, the values and their limits, or a typed range. */
export const SCALES = ['fitted', 'limits', 'typed'] as const;
export type Scale = (typeof SCALES)[number];

/** The choice of the variables of a machine. It stands in the address, so that a link shows the same. */
export interface VariableChoice {
  readonly names: readonly string[];
  readonly period: Period;
  /** The end of the time, in wall-clock milliseconds; null: now. */
  readonly toMs: number | null;
  readonly scale: Scale;
  /** Typed ranges, by name. */
  readonly ranges: Readonly<Record<string, Range>>;
}

export function choiceOf(query: string): VariableChoice {
  const asked = new URLSearchParams(query);
  const to = Date.parse(asked.get('to') ?? '');
  const period = asked.get('period') ?? '';
  return {
    names: asked.getAll('name'),
    period: period in PERIODS ? (period as Period) : '8h',
    toMs: Number.isNaN(to) ? null : to,
    scale: SCALES.find((scale) => scale === asked.get('scale')) ?? 'fitted',
    ranges: Object.fromEntries(asked.getAll('axis').flatMap(rangeOf)),
  };
}

/** `lineSpeed:0..200` */
function rangeOf(text: string): readonly (readonly [string, Range])[] {
  const [, name = '', low = '', high = ''] = /^(.*):(.*)\.\.(.*)$/.exec(text) ?? [];
  const range = { low: Number(low), high: Number(high) };
  return name !== '' && range.low < range.high ? [[name, range]] : [];
}

export function variablesRoute(machineId: string, choice: Partial<VariableChoice>): Route {
  const { names = [], period = '8h', toMs = null, scale = 'fitted', ranges = {} } = choice;
  const asked = new URLSearchParams(names.map((name) => ['name', name]));
  if (period !== '8h') asked.set('period', period);
  if (toMs !== null) asked.set('to', new Date(toMs).toISOString());
  if (scale !== 'fitted') asked.set('scale', scale);
  for (const [name, { low, high }] of Object.entries(ranges)) asked.append('axis', `${name}:${low}..${high}`);
  return { place: 'variables', machineId, query: asked.toString() };
}

export function chooseVariables(machineId: string, choice: VariableChoice): void {
  amend(variablesRoute(machineId, choice));
}
