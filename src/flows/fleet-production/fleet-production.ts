import { foundText, invalidInput, noSuch } from '../../domain/error.ts';
import type { Downtime } from '../../domain/machine/records.ts';
import type { PlantScope } from '../../domain/plant/plant-scope.ts';
import {
  type FleetSplit,
  type FleetStopSplit,
  NO_STOPS,
  NO_WORK,
  plusStops,
  plusWork,
  type StopRow,
  type SumsRow,
  type WorkSplit,
} from '../../domain/production/production-report.ts';
import { NO_SUMS, type ProductionSums, plusSums } from '../../domain/production/production-sums.ts';
import type { TopStop } from '../../domain/production/shift-figures.ts';
import { datesBefore, datesUpTo, shiftDates } from '../../domain/shift/shift-dates.ts';
import type { PlannedShift } from '../../domain/shift/work-plan.ts';
import { type SlicedWork, visit } from '../../domain/sliced-work.ts';
import { inSlices, Slice } from '../../runtime/slice.ts';
import type { ProductionRow } from '../local-api/local-api-ports.ts';
import { productionView } from '../local-api/machine-view.ts';
import type { Plant } from '../plant/plant.ts';
import type { Clock } from '../ports.ts';
import { MAX_DAYS, type ProductionQuestion } from '../production/production-flow.ts';
import type { ReportRows } from '../production/production-ports.ts';
import {
  type ReportView,
  type RowNames,
  type StopView,
  type SumsView,
  stopsView,
  sumsView,
  type WorkView,
  workView,
} from '../production/production-views.ts';
import type { ReceiveQueries } from '../receive/receive-ports.ts';
import { SeenGateways } from '../receive/seen-gateways.ts';
import type {
  FleetDays,
  FleetProductionQueries,
  FleetScope,
  ReasonStops,
  StoredSplit,
} from './fleet-production-ports.ts';
import { type ChosenGateway, FleetReasons, gatewayOf } from './fleet-reasons.ts';
import type { ToldPlants } from './told-plants.ts';

/** `gatewayId` null: all gateways. `machineId`: that of its gateway, a slash, and its own. */
export interface FleetQuestion extends ProductionQuestion {
  readonly gatewayId: string | null;
  /**
   * The question is about as many days as from `from` to `to`, up to the present production day of each gateway. Those
   * days differ at night and by time zone.
   */
  readonly isUpToPresent: boolean;
  /** Gateways of other plants are not there (D-108). */
  readonly plants: PlantScope;
}

export interface FleetProductionOptions {
  readonly store: Pick<
    FleetProductionQueries,
    'fleetSums' | 'fleetStops' | 'fleetReasons' | 'fleetWork' | 'fleetTotals'
  > &
    Pick<ReceiveQueries, 'receivedGateways' | 'receivedMachines' | 'receivedMachine'>;
  readonly plants: Pick<ToldPlants, 'look' | 'of'>;
  readonly plant: Pick<Plant, 'downtimeReasons' | 'part'>;
  readonly clock: Clock;
}

/** A gateway of a question, with the production days that are asked about. */
export interface AskedGateway extends ChosenGateway {
  readonly dates: readonly string[];
}

/** The gateways, machines and shifts of a question, with the plans of the gateways. */
export interface FleetChoice {
  readonly scope: FleetScope;
  readonly gateways: readonly AskedGateway[];
}

/** Sums of production, work and stops of gateways' machines (contract.md, `/production`; D-105). */
export class FleetProduction {
  readonly #options: FleetProductionOptions;

  constructor(options: FleetProductionOptions) {
    this.#options = options;
  }

  async sums(question: FleetQuestion, by: FleetSplit): Promise<ReportView<SumsView>> {
    const { store } = this.#options;
    const choice = await this.choose(question);
    const { scope, gateways } = choice;
    const reasons = await this.#reasons(gateways);
    const stored = await store.fleetSums(storedAs(by), scope);
    const stops = await store.fleetReasons(scope);
    const shownAs = shownKey(by, gateways);
    const tops = by === 'plant' ? await inSlices(topsBy(shownAs, stops, reasons)) : null;
    const topOf = (key: string, top: TopStop): TopStop => {
      // Which stop cost most in an area is not known from the stops of its machines.
      if (by === 'area') return null;
      if (tops !== null) return tops.get(shownAs(key)) ?? null;
      return reasons.top(top, by === 'gateway' || by === 'machine' ? key : null);
    };
    const rows = new Map<string | null, SumsRow>();
    let sum: ProductionSums = NO_SUMS;
    const addUp = visit(stored, ({ key, topStop, ...own }) => {
      const shown = shownAs(key);
      const before = rows.get(shown);
      const sums = before === undefined ? own : plusSums(before, own);
      rows.set(shown, { ...sums, key: shown, topStop: topOf(key, topStop), unratedPartIds: [] });
      sum = plusSums(sum, own);
    });
    await inSlices(addUp);
    const total = { ...sum, key: null, topStop: await inSlices(reasons.topOf(stops)), unratedPartIds: [] };
    const answered: ReportRows<SumsRow> = { total, rows: [...rows.values()] };
    return inSlices(sumsView(answered, by, await this.#names(choice, reasons)));
  }

  async work(question: FleetQuestion, by: WorkSplit): Promise<ReportView<WorkView>> {
    const choice = await this.choose(question);
    const rows = await this.#options.store.fleetWork(by, choice.scope);
    const names = await this.#names(choice, await this.#reasons(choice.gateways));
    return workView({ total: rows.reduce(plusWork, NO_WORK), rows }, by, names);
  }

  async stops(question: FleetQuestion, by: FleetStopSplit, comparesBefore: boolean): Promise<ReportView<StopView>> {
    const choice = await this.choose(question);
    const reasons = await this.#reasons(choice.gateways);
    const rows = await this.#stops(choice, by, reasons);
    const { scope } = choice;
    const earlier = comparesBefore ? { ...choice, scope: { ...scope, days: scope.days.map(daysBefore) } } : null;
    const before = earlier === null ? null : await this.#stops(earlier, by, reasons);
    return stopsView(rows, before, by, await this.#names(choice, reasons));
  }

  /** A page for each gateway of each production day. It is read when the one before it is sent. */
  async *exportTotals(
    question: Omit<FleetQuestion, 'area' | 'shift'>,
  ): AsyncIterable<readonly (ProductionRow & { readonly plantId: string })[]> {
    const { machineId } = question;
    const { gateways, scope } = await this.choose({ ...question, area: null, shift: null });
    for (const shiftDate of new Set(scope.days.flatMap(({ dates }) => dates).sort())) {
      for (const gateway of gateways) {
        if (!gateway.dates.includes(shiftDate)) continue;
        const totals = await this.#options.store.fleetTotals(gateway.gatewayId, shiftDate);
        const wanted = totals.filter((one) => machineId === null || one.machineId === machineId);
        yield wanted.flatMap(({ machineId: id, ...shift }) => {
          const machineName = gateway.plan.machines.get(id)?.name ?? id;
          const own = { ...shift, machineId: id as Downtime['machineId'] };
          return productionView(shiftDate, [own]).shifts.map((one) => {
            return { shiftDate, machineId: id, machineName, ...one, plantId: gateway.plantId };
          });
        });
      }
    }
  }

  /** Rejects with `not-found` and `invalid-input`. */
  async choose(question: FleetQuestion): Promise<FleetChoice> {
    const { gatewayId, machineId, area, shift, plants: scope } = question;
    const { store, plants } = this.#options;
    await plants.look();
    const wanted = machineId === null ? gatewayId : gatewayOf(machineId);
    const all = await new SeenGateways(store, scope).all();
    const chosen = all.filter((gateway) => wanted === null || gateway.gatewayId === wanted);
    if (wanted !== null && chosen.length === 0) throw noSuch('sending gateway', wanted);
    const gateways = await this.#withDates(
      question,
      chosen.map(({ gatewayId: id, plantId, name }) => ({ gatewayId: id, plantId, name, plan: plants.of(id) })),
    );
    const machineIds =
      machineId === null ? (area === null ? null : await inSlices(machinesIn(area, gateways))) : [machineId];
    return { scope: { days: daysOf(gateways), machineIds, shiftName: shift }, gateways };
  }

  /** The gateways with the production days of the question. */
  async #withDates(
    { from, to, isUpToPresent }: FleetQuestion,
    gateways: readonly ChosenGateway[],
  ): Promise<readonly AskedGateway[]> {
    const dates = shiftDates(from, to, MAX_DAYS);
    if (!isUpToPresent) return gateways.map((gateway) => ({ ...gateway, dates }));
    const { wallMs } = this.#options.clock.now();
    const slice = new Slice();
    const known = new Map<string, readonly string[]>();
    const asked: AskedGateway[] = [];
    for (const gateway of gateways) {
      const { shiftDate } = gateway.plan.calendar.shiftAt(wallMs);
      const own = known.get(shiftDate) ?? datesUpTo(shiftDate, dates.length);
      known.set(shiftDate, own);
      asked.push({ ...gateway, dates: own });
      await slice.pause();
    }
    return asked;
  }

  async #stops(
    { scope, gateways }: FleetChoice,
    by: FleetStopSplit,
    reasons: FleetReasons,
  ): Promise<ReportRows<StopRow>> {
    const { store } = this.#options;
    if (by === 'area') {
      const expected = 'another way to split stops: which area a stop was in is not kept';
      throw invalidInput([{ path: 'by', found: foundText(by), expected }]);
    }
    const shownAs = shownKey(by, gateways);
    const rows = new Map<string | null, StopRow>();
    const add = (key: string | null, row: StopRow) =>
      rows.set(key, plusStops(rows.get(key) ?? { ...NO_STOPS, key }, row));
    const addUp =
      by === 'reason'
        ? visit(await store.fleetReasons(scope), (row) => add(reasons.keyOf(row.gatewayId, row.key), row))
        : visit(await store.fleetStops(storedAs(by), scope), (row) => add(shownAs(row.key), row));
    await inSlices(addUp);
    return { total: [...rows.values()].reduce<StopRow>(plusStops, NO_STOPS), rows: [...rows.values()] };
  }

  #reasons(gateways: readonly ChosenGateway[]): Promise<FleetReasons> {
    return inSlices(FleetReasons.of(gateways, this.#options.plant.downtimeReasons()));
  }

  /** The names of rows, and the order of machines and shifts: that in which the gateways have them. */
  async #names({ gateways }: FleetChoice, reasons: FleetReasons): Promise<RowNames> {
    const slice = new Slice();
    const shiftNames = new Set<string>();
    const machines = new Map<string, string>();
    for (const { plan, dates } of gateways) {
      for (const date of [...dates.slice(0, 1), ...dates.slice(-1)])
        for (const { shiftName } of plan.shiftsOf(date)) shiftNames.add(shiftName);
      for (const [machineId, { name }] of plan.machines) machines.set(machineId, name);
      await slice.pause();
    }
    const names = new Map(gateways.map(({ gatewayId, name }) => [gatewayId, name]));
    return {
      machineIds: [...machines.keys()],
      shiftNames: [...shiftNames],
      machine: (machineId) => machines.get(machineId) ?? null,
      gateway: (gatewayId) => names.get(gatewayId) ?? null,
      part: (partId) => this.#options.plant.part(partId)?.partName ?? null,
      reason: (key) => reasons.reason(key),
    };
  }
}

function storedAs(by: FleetSplit): StoredSplit {
  if (by === 'area') return 'machine';
  return by === 'plant' ? 'gateway' : by;
}

/** The key of the row in which a stored one is shown: that of its area or plant, or its own. */
function shownKey(by: FleetStopSplit, gateways: readonly ChosenGateway[]): (key: string | null) => string | null {
  if (by !== 'area' && by !== 'plant') return (key) => key;
  const known = new Map(gateways.map((gateway) => [gateway.gatewayId, gateway]));
  if (by === 'plant') return (key) => known.get(key ?? '')?.plantId ?? null;
  return (key) => known.get(gatewayOf(key ?? ''))?.plan.machines.get(key ?? '')?.area ?? null;
}

/** The reason that cost most unplanned time, by the rows in which stops are shown. */
function* topsBy(
  shownAs: ReturnType<typeof shownKey>,
  stops: readonly ReasonStops[],
  reasons: FleetReasons,
): SlicedWork<ReadonlyMap<string | null, TopStop>> {
  const shown = new Map<string | null, ReasonStops[]>();
  yield* visit(stops, (stop) => {
    const key = shownAs(stop.gatewayId);
    const own = shown.get(key);
    if (own === undefined) shown.set(key, [stop]);
    else own.push(stop);
  });
  const tops = new Map<string | null, TopStop>();
  for (const [key, own] of shown) tops.set(key, yield* reasons.topOf(own));
  return tops;
}

function* machinesIn(area: string, gateways: readonly ChosenGateway[]): SlicedWork<readonly string[]> {
  const ids: string[] = [];
  for (const { plan } of gateways) {
    for (const [id, told] of plan.machines) if (told.area === area) ids.push(id);
    yield;
  }
  return ids;
}

/** Gateways with the same first day are asked about together: all have as many days. */
function daysOf(gateways: readonly AskedGateway[]): readonly FleetDays[] {
  const days = new Map<string | undefined, FleetDays & { readonly gatewayIds: string[] }>();
  for (const { gatewayId, dates } of gateways) {
    const [first] = dates;
    const same = days.get(first) ?? { gatewayIds: [], dates };
    same.gatewayIds.push(gatewayId);
    days.set(first, same);
  }
  return [...days.values()];
}

function daysBefore({ gatewayIds, dates }: FleetDays): FleetDays {
  const [first = '', last = first] = [dates[0], dates.at(-1)];
  const { from, to } = datesBefore({ from: first, to: last });
  return { gatewayIds, dates: shiftDates(from, to, MAX_DAYS) };
}

/** The shifts of a gateway on the days of a question. */
export function shiftsOfChoice({ plan, dates }: AskedGateway, { shiftName }: FleetScope): readonly PlannedShift[] {
  return dates
    .flatMap((date) => plan.shiftsOf(date))
    .filter((shift) => shiftName === null || shift.shiftName === shiftName);
}
