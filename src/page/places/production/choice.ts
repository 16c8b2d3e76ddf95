import { computed } from '@preact/signals';
import { DAY_MS } from '../../../domain/time.ts';
import { amend, go, type Route, route } from '../../app/route.ts';
import { presentShift } from '../../plant/machines.ts';

export const VIEWS = ['plant', 'timelines', 'downtime', 'shifts', 'parts', 'reliability', 'log', 'report'] as const;
export type View = (typeof VIEWS)[number];

/** Lengths of time up to now that can be chosen by one tap. */
export const PERIODS = ['shift', 'today', '7d', '31d', '90d'] as const;
type NamedPeriod = (typeof PERIODS)[number];
/** Days from one date to another, `2026-11-17..2026-11-24`. */
type DatePeriod = `${string}..${string}`;
export type Period = NamedPeriod | DatePeriod;

/** The choice of the place Production. It stands in the address, so that a link shows the same. */
export interface Choice {
  readonly view: View;
  readonly period: Period;
  /** `all`, `area:Hall A` or the id of a machine. */
  readonly machines: string;
  readonly shift: string;
  readonly by: string;
  /** A text that is looked for. */
  readonly find: string;
}

const ALL = 'all';
/** The choice of an address without one. */
export const START: Choice = { view: 'plant', period: 'today', machines: ALL, shift: ALL, by: '', find: '' };
const AREA = 'area:';

export const choice = computed<Choice>(() =>
  route.value.place === 'production' ? choiceOf(route.value.query ?? '') : START,
);

function choiceOf(query: string): Choice {
  const asked = new URLSearchParams(query);
  const period = asked.get('period') ?? START.period;
  return {
    view: VIEWS.find((view) => view === asked.get('view')) ?? START.view,
    period: isPeriod(period) ? period : START.period,
    machines: asked.get('machines') ?? ALL,
    shift: asked.get('shift') ?? ALL,
    by: asked.get('by') ?? '',
    find: asked.get('find') ?? '',
  };
}

function isPeriod(text: string): text is Period {
  return PERIODS.some((period) => period === text) || /^\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d$/.test(text);
}

/** The place with a changed choice. */
export function productionRoute(change: Partial<Choice>, from: Choice = choice.value): Route {
  const { view, period, machines, shift, by, find } = { ...from, ...change };
  const asked = new URLSearchParams();
  const put = (name: string, value: string, standard: string) => value !== standard && asked.set(name, value);
  put('view', view, START.view);
  put('period', period, START.period);
  put('machines', machines, ALL);
  put('shift', shift, ALL);
  put('by', by, '');
  put('find', find, '');
  return { place: 'production', query: asked.toString() };
}

/** A change of what is shown replaces the entry of the history; only another view adds one. */
export function chooseProduction(change: Partial<Choice>): void {
  if (change.view === undefined) amend(productionRoute(change));
  else go(productionRoute(change));
}

/** The production days of the chosen period, both included; null until the present shift is known. */
export const days = computed(() => {
  const today = presentShift.value?.shiftDate ?? null;
  return today === null ? null : daysOf(choice.value.period, today);
});

export function daysOf(period: Period, today: string): { readonly from: string; readonly to: string } {
  switch (period) {
    case 'shift':
    case 'today':
      return { from: today, to: today };
    case '7d':
      return { from: dateBefore(today, 6), to: today };
    case '31d':
      return { from: dateBefore(today, 30), to: today };
    case '90d':
      return { from: dateBefore(today, 89), to: today };
    default: {
      const [from = today, to = today] = period.split('..');
      return { from, to };
    }
  }
}

export function dateBefore(date: string, count: number): string {
  return new Date(Date.parse(date) - count * DAY_MS).toISOString().slice(0, 10);
}

/** The part of a call that says days, machines and shift; null until the present shift is known. */
export const scopeQuery = computed(() => {
  const range = days.value;
  return range === null ? null : scopeOf(range);
});

/** The chosen machines and shift over other days. */
export function scopeOf({ from, to }: { readonly from: string; readonly to: string }): string {
  const { machines, period, shift } = choice.value;
  const asked = new URLSearchParams({ from, to });
  if (machines.startsWith(AREA)) asked.set('area', machines.slice(AREA.length));
  else if (machines !== ALL) asked.set('machineId', machines);
  const name = period === 'shift' ? presentShift.value?.shiftName : shift;
  if (name !== undefined && name !== ALL) asked.set('shift', name);
  return asked.toString();
}

export function areaChoice(area: string): string {
  return `${AREA}${area}`;
}

/** The area of a choice of machines; null: it is none. */
export function areaOf(machines: string): string | null {
  return machines.startsWith(AREA) ? machines.slice(AREA.length) : null;
}
