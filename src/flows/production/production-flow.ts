import { foundText, invalidInput } from '../../domain/error.ts';
import { currentShift } from '../../domain/machine/machine-state.ts';
import { isBreakdownReason, isPlannedReason } from '../../domain/production/planned-reasons.ts';
import {
  type FleetSplit,
  type FleetStopSplit,
  isOwnSplit,
  type WorkSplit,
} from '../../domain/production/production-report.ts';
import { type PlantJudgement, type ProducingMachine, rateKey } from '../../domain/production/production-sums.ts';
import type { ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { datesBefore, shiftDates } from '../../domain/shift/shift-dates.ts';
import type { PlannedShift, WorkPlan } from '../../domain/shift/work-plan.ts';
import { clipped, joined } from '../../domain/time-spans.ts';
import { inSlices, Slice } from '../../runtime/slice.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import { downtimeView } from '../local-api/machine-view.ts';
import type { Plant } from '../plant/plant.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { ProductionScope, StopLogScope } from './production-ports.ts';
import {
  type LongStopView,
  type ReportView,
  type RowNames,
  type StopView,
  type SumsView,
  stopsView,
  sumsView,
  type WorkView,
  workView,
} from './production-views.ts';
import { type LogLineView, type LogQuestion, logLines, logTotal, type StopLogView, searchOf } from './stop-log-view.ts';

/** Stops that are looked through for those of the chosen shifts. */
export const MAX_SEARCHED_STOPS = 2_000;
/** Production days of one question. */
export const MAX_DAYS = 92;
/** Lines of the log that are in memory at once during an export of any size. */
export const EXPORTED_AT_ONCE = 1_000;
/** Days whose shifts are added up after a start, if an earlier run did not: as long as their spans are kept by default. */
const SUMMARISED_DAYS = 31;
/** Days whose shifts are remembered: reading them from the calendar takes long. */
const REMEMBERED_DAYS = 400;

/** Production days, machines and a shift; null: all. */
export interface ProductionQuestion {
  readonly from: string;
  readonly to: string;
  readonly machineId: string | null;
  readonly area: string | null;
  readonly shift: string | null;
}

interface ProductionOptions {
  readonly registry: MachineRegistry;
  readonly plant: Pick<Plant, 'parts' | 'part' | 'downtimeReasons' | 'machine'>;
  readonly store: Pick<
    Store,
    'productionSums' | 'productionWork' | 'productionStops' | 'stopLog' | 'summariseShifts' | 'longestDowntimes'
  >;
  readonly calendar: Pick<ShiftCalendar, 'shiftAt' | 'shiftsOfDate' | 'timeText'>;
  readonly plan: WorkPlan;
  readonly clock: Clock;
}

/** Sums of production, work and stops over machines and days (contract.md, `/production`). */
export class ProductionFlow {
  readonly #options: ProductionOptions;
  readonly #shiftsOf = new Map<string, readonly PlannedShift[]>();
  /** The end of the last shift that is added up; null before the first. */
  #summarisedUpTo: number | null = null;

  constructor(options: ProductionOptions) {
    this.#options = options;
  }

  /** Pieces and times by machine, area, shift or time. */
  async sums(question: ProductionQuestion, by: FleetSplit): Promise<ReportView<SumsView>> {
    if (!isOwnSplit(by)) throw ofGateways(by);
    const scope = await this.#scope(question);
    const rows = await this.#options.store.productionSums(by, scope);
    return inSlices(sumsView(rows, by, this.#names(scope)));
  }

  /** Pieces by part, job or operator. */
  async work(question: ProductionQuestion, by: WorkSplit): Promise<ReportView<WorkView>> {
    const scope = await this.#scope(question);
    return workView(await this.#options.store.productionWork(by, scope), by, this.#names(scope));
  }

  /** Stops by reason or otherwise; `comparesBefore`: with the same number of days before. */
  async stops(
    question: ProductionQuestion,
    by: FleetStopSplit,
    comparesBefore: boolean,
  ): Promise<ReportView<StopView>> {
    if (!isOwnSplit(by)) throw ofGateways(by);
    const { store } = this.#options;
    const scope = await this.#scope(question);
    const rows = await store.productionStops(by, scope);
    const earlier = comparesBefore ? await this.#scope({ ...question, ...datesBefore(question) }) : null;
    const before = earlier === null ? null : await store.productionStops(by, earlier);
    return stopsView(rows, before, by, this.#names(scope));
  }

  /**
   * The longest stops that began in the chosen shifts, at most `limit`: with this reason, without one (null), or all
   * (undefined).
   */
  async longestStops(
    question: ProductionQuestion,
    reasonId: string | null | undefined,
    limit: number,
  ): Promise<readonly LongStopView[]> {
    const { machines, shifts } = await this.#scope(question);
    const wanted = shifts.filter(({ shiftName }) => question.shift === null || shiftName === question.shift);
    const [first, last] = [wanted[0], wanted.at(-1)];
    if (first === undefined || last === undefined) return [];
    const found = await this.#options.store.longestDowntimes({
      machineIds: machines.map(({ machineId }) => machineId),
      reasonId,
      range: { from: first.startMs, to: last.endMs },
      limit: MAX_SEARCHED_STOPS,
    });
    const inShifts = found.flatMap((stop) => {
      const shift = wanted.find(({ startMs, endMs }) => stop.startedAt >= startMs && stop.startedAt < endMs);
      if (shift === undefined) return [];
      const { shiftDate, shiftName } = shift;
      return [{ ...downtimeView(stop), shiftDate, shift: shiftName }];
    });
    return inShifts.slice(0, limit);
  }

  /** The log of stops and faults that began in the chosen shifts: the newest `limit` lines, and the sums of all. */
  async log(question: ProductionQuestion, asked: LogQuestion, limit: number): Promise<StopLogView> {
    const { scope, names } = await this.#logScope(question, asked);
    const page = await this.#options.store.stopLog({ ...scope, limit });
    return { shiftNames: names.shiftNames, total: logTotal(page), rows: logLines(page, names) };
  }

  /** The whole log, machine by machine, the newest line first. A page is read when the one before it is sent. */
  async *exportLog(question: ProductionQuestion, asked: LogQuestion): AsyncIterable<readonly LogLineView[]> {
    const { store, calendar } = this.#options;
    const { scope, names } = await this.#logScope(question, asked);
    for (const machineId of scope.machineIds) {
      for (let { ranges } = scope; ranges.length > 0; ) {
        const page = await store.stopLog({ ...scope, machineIds: [machineId], ranges, limit: EXPORTED_AT_ONCE });
        yield logLines(page, names, calendar.timeText);
        const last = page.count > page.rows.length ? page.rows.at(-1) : undefined;
        ranges = last === undefined ? [] : clipped(ranges, { from: 0, to: last.startedAt });
      }
    }
  }

  async #logScope(question: ProductionQuestion, { part, reasonId, text }: LogQuestion) {
    const { shift } = question;
    const scope = await this.#scope(question);
    const { machines, shifts, nowAt, judgement } = scope;
    const wanted = shifts.filter(({ shiftName }) => shift === null || shiftName === shift);
    const names = { ...this.#names(scope), shifts: wanted, nowAt };
    const reasonIds = this.#options.plant.downtimeReasons().map(({ id }) => id);
    const search = searchOf(text, names, reasonIds);
    const logged: Omit<StopLogScope, 'limit'> = {
      machineIds: machines.map(({ machineId }) => machineId),
      ranges: joined(wanted.map(({ startMs, endMs }) => ({ from: startMs, to: endMs }))),
      filter: { part, reasonId, search, breakdownReasons: judgement.breakdownReasons },
      nowAt,
    };
    return { scope: logged, names };
  }

  /** Adds up the shifts that are over since the last call, so that later questions need not. */
  async summariseFinished(): Promise<void> {
    const { calendar, clock, store } = this.#options;
    const { wallMs } = clock.now();
    const present = calendar.shiftAt(wallMs);
    if (this.#summarisedUpTo === present.startMs) return;
    const days = this.#summarisedUpTo === null ? SUMMARISED_DAYS : 2;
    const { from } = datesBefore({ from: present.shiftDate, to: present.shiftDate }, days);
    const shifts = await this.#shifts(shiftDates(from, present.shiftDate, MAX_DAYS));
    await store.summariseShifts({ machines: this.#machines(null, null), shifts, nowAt: wallMs });
    this.#summarisedUpTo = present.startMs;
  }

  async #scope({ from, to, machineId, area, shift }: ProductionQuestion): Promise<ProductionScope> {
    const { registry, clock } = this.#options;
    const shifts = await this.#shifts(shiftDates(from, to, MAX_DAYS));
    const machines = this.#machines(machineId, area);
    const wanted = new Set(machines.map((machine) => machine.machineId));
    const live = registry
      .all()
      // Under a recount the totals in memory are only those that the store has not seen (D-04).
      .filter(({ machine, state }) => wanted.has(machine.machineId) && state.recount === null)
      .map(({ state }) => currentShift(state))
      .filter(({ shiftDate }) => shiftDate >= from && shiftDate <= to);
    return {
      machines,
      shifts,
      shiftName: shift,
      live,
      judgement: this.#judgement(),
      nowAt: clock.now().wallMs,
    };
  }

  #machines(machineId: string | null, area: string | null): readonly ProducingMachine[] {
    const { registry, plant } = this.#options;
    if (machineId !== null && plant.machine(machineId) === undefined) {
      throw invalidInput([{ path: 'machineId', found: foundText(machineId), expected: 'the id of a machine' }]);
    }
    return registry
      .all()
      .map(({ machine }) => machine)
      .filter((machine) => machineId === null || machine.machineId === machineId)
      .filter((machine) => area === null || machine.area === area)
      .map((machine) => ({
        machineId: machine.machineId,
        area: machine.area ?? null,
        idealPartsPerMinute: machine.idealPartsPerMinute ?? null,
        targetPartsPerShift: machine.targetPartsPerShift ?? null,
      }));
  }

  #judgement(): PlantJudgement {
    const { plant } = this.#options;
    const reasons = plant.downtimeReasons();
    const partRates = new Map<string, number>();
    const machinePartRates = new Map<string, number>();
    for (const { partId, idealPartsPerMinute, machineRates = [] } of plant.parts()) {
      if (idealPartsPerMinute !== undefined) partRates.set(partId, idealPartsPerMinute);
      for (const rate of machineRates) machinePartRates.set(rateKey(partId, rate.machineId), rate.idealPartsPerMinute);
    }
    const idsOf = (isMeant: (reason: (typeof reasons)[number]) => boolean) =>
      new Set(reasons.filter(isMeant).map(({ id }) => id));
    return {
      plannedReasons: idsOf(isPlannedReason),
      breakdownReasons: idsOf(isBreakdownReason),
      partRates,
      machinePartRates,
    };
  }

  #names({ machines, shifts }: ProductionScope): RowNames {
    const { plant } = this.#options;
    const reasons = new Map(plant.downtimeReasons().map((reason) => [reason.id, reason]));
    return {
      machineIds: machines.map(({ machineId }) => machineId),
      shiftNames: [...new Set(shifts.map(({ shiftName }) => shiftName))],
      machine: (machineId) => plant.machine(machineId)?.name ?? null,
      gateway: () => null,
      part: (partId) => plant.part(partId)?.partName ?? null,
      reason: (reasonId) => reasons.get(reasonId) ?? null,
    };
  }

  /** The shifts of dates with what is planned. Reading a year from the calendar at once would hold up machines. */
  async #shifts(dates: readonly string[]): Promise<readonly PlannedShift[]> {
    const slice = new Slice();
    const shifts: PlannedShift[] = [];
    for (const date of dates) {
      let ofDate = this.#shiftsOf.get(date);
      if (ofDate === undefined) {
        ofDate = this.#options.calendar.shiftsOfDate(date).map(this.#options.plan);
        if (this.#shiftsOf.size >= REMEMBERED_DAYS) this.#shiftsOf.clear();
        this.#shiftsOf.set(date, ofDate);
      }
      shifts.push(...ofDate);
      await slice.pause();
    }
    return shifts;
  }
}

function ofGateways(by: string): Error {
  const expected = 'another way to split, or gatewayId: our own machines have no gateway';
  return invalidInput([{ path: 'by', found: by, expected }]);
}
