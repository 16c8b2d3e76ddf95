import { errorMessage } from '../../domain/error-text.ts';
import { figuresOf, producedIn } from '../../domain/production/machine-figures.ts';
import type { ShiftFigures } from '../../domain/production/shift-figures.ts';
import { datesBefore, shiftDates } from '../../domain/shift/shift-dates.ts';
import type { PlannedShift } from '../../domain/shift/work-plan.ts';
import { DAY_MS } from '../../domain/time.ts';
import { Slice } from '../../runtime/slice.ts';
import type { Clock } from '../ports.ts';
import type { ReceivedGateway, ReceiveQueries } from '../receive/receive-ports.ts';
import type { AddedUp, ChangedMachine, FleetProductionQueries, RecordRange } from './fleet-production-ports.ts';
import type { ToldPlants } from './told-plants.ts';

type GatewayPlan = ReturnType<ToldPlants['of']>;

export interface ShiftAdderOptions {
  readonly store: Pick<FleetProductionQueries, 'changedMachines' | 'machineRecords' | 'putShiftFigures'> &
    Pick<ReceiveQueries, 'receivedGateways'>;
  readonly plants: Pick<ToldPlants, 'look' | 'of'>;
  readonly clock: Clock;
}

/** Machines of one question for changes. */
const CHANGED_AT_ONCE = 200;
/** Machines, and production days of them, whose records are in memory at once. */
const MACHINES_AT_ONCE = 5;
const DAYS_AT_ONCE = 4;
/** Records that come later are not added up any more. */
const MAX_DAYS = 400;

/** Adds up the shifts of gateways' machines whose records changed, so that questions add up columns (D-105). */
export class ShiftAdder {
  readonly #options: ShiftAdderOptions;
  #adding: Promise<void> | null = null;

  constructor(options: ShiftAdderOptions) {
    this.#options = options;
  }

  /**
   * Adds up all that changed so far. A call during another one shares its work. Rejects with the first fault of a gateway
   * once the others are done: records of one that cannot be kept do not hold up the figures of all.
   */
  addUp(): Promise<void> {
    this.#adding ??= this.#addUp().finally(() => {
      this.#adding = null;
    });
    return this.#adding;
  }

  async #addUp(): Promise<void> {
    const { store, plants } = this.#options;
    await plants.look();
    const gateways = new Map((await store.receivedGateways()).map((gateway) => [gateway.gatewayId, gateway]));
    let fault: Error | null = null;
    for (let after = ''; ; ) {
      const changed = await store.changedMachines(after, CHANGED_AT_ONCE);
      for (const [gatewayId, machines] of Map.groupBy(changed, (machine) => machine.gatewayId)) {
        try {
          await this.#addGateway(gateways.get(gatewayId) ?? null, machines);
        } catch (cause) {
          fault ??= new Error(`gateway ${gatewayId}: ${errorMessage(cause)}`, { cause });
        }
      }
      if (changed.length < CHANGED_AT_ONCE) break;
      after = changed.at(-1)?.machineId ?? '';
    }
    if (fault !== null) throw fault;
  }

  async #addGateway(gateway: ReceivedGateway | null, changed: readonly ChangedMachine[]): Promise<void> {
    const { store, plants, clock } = this.#options;
    // A retired gateway is in no question any more.
    if (gateway === null) return store.putShiftFigures(changed.map((machine) => ({ ...settled(machine), shifts: [] })));
    const plan = plants.of(gateway.gatewayId);
    // Nothing is known of the time since its last contact.
    const nowAt = Math.min(clock.now().wallMs, gateway.lastContactAt);
    for (const [fromDate, machines] of Map.groupBy(changed, (machine) => firstDate(machine, plan, nowAt))) {
      for (let at = 0; at < machines.length; at += MACHINES_AT_ONCE) {
        await this.#addMachines(machines.slice(at, at + MACHINES_AT_ONCE), fromDate, plan, nowAt);
      }
    }
  }

  async #addMachines(
    machines: readonly ChangedMachine[],
    fromDate: string,
    plan: GatewayPlan,
    nowAt: number,
  ): Promise<void> {
    const lastDate = plan.calendar.shiftAt(nowAt).shiftDate;
    const dates = fromDate > lastDate ? [lastDate] : shiftDates(fromDate, lastDate, MAX_DAYS + 1);
    for (let at = 0; at < dates.length; at += DAYS_AT_ONCE) {
      const some = dates.slice(at, at + DAYS_AT_ONCE);
      const isLast = at + DAYS_AT_ONCE >= dates.length;
      const figures = await this.#figures(machines, some, plan, nowAt);
      await this.#options.store.putShiftFigures(
        machines.map((machine) => {
          const shifts = figures.get(machine.machineId) ?? [];
          return { machine, shifts, mark: isLast ? machine.mark : null };
        }),
      );
    }
  }

  async #figures(
    machines: readonly ChangedMachine[],
    dates: readonly string[],
    { shiftsOf, ...judged }: GatewayPlan,
    nowAt: number,
  ): Promise<ReadonlyMap<string, readonly ShiftFigures[]>> {
    const slice = new Slice();
    const planned: PlannedShift[] = [];
    for (const date of dates) {
      planned.push(...shiftsOf(date));
      await slice.pause();
    }
    const range = rangeOf(planned, nowAt);
    if (range === null) return new Map();
    const ids = machines.map(({ machineId }) => machineId);
    const figures = new Map<string, readonly ShiftFigures[]>();
    for (const records of await this.#options.store.machineRecords(ids, range)) {
      const changed = machines.find(({ machineId }) => machineId === records.machineId);
      const own: ShiftFigures[] = [];
      for (const shift of producedIn(records, planned)) {
        if (changed !== undefined && isChanged(shift, changed)) own.push(...figuresOf(shift, records, judged, nowAt));
        await slice.pause();
      }
      figures.set(records.machineId, own);
    }
    return figures;
  }
}

function rangeOf(shifts: readonly PlannedShift[], nowAt: number): RecordRange | null {
  const [first, last] = [shifts[0], shifts.at(-1)];
  if (first === undefined || last === undefined) return null;
  const { shiftDate: fromDate, startMs: from } = first;
  return { from, to: Math.min(last.endMs, nowAt), fromDate, toDate: last.shiftDate };
}

function settled(machine: ChangedMachine): Pick<AddedUp, 'machine' | 'mark'> {
  return { machine, mark: machine.mark };
}

/** The first shift date that a change touches, as far back as shifts are added up. */
function firstDate({ sinceAt, sinceDate }: ChangedMachine, { calendar }: GatewayPlan, nowAt: number): string {
  const today = calendar.shiftAt(nowAt).shiftDate;
  const { from: oldest } = datesBefore({ from: today, to: today }, MAX_DAYS);
  // In any time zone no shift of an earlier date reaches over this time: the calendar itself would take long to ask.
  const ofTime = sinceAt === null ? today : new Date(Math.max(0, sinceAt - 2 * DAY_MS)).toISOString().slice(0, 10);
  const first = sinceDate !== null && sinceDate < ofTime ? sinceDate : ofTime;
  if (first > oldest) return first;
  return oldest;
}

function isChanged({ shiftDate, endMs }: PlannedShift, { sinceAt, sinceDate }: ChangedMachine): boolean {
  return (sinceDate !== null && shiftDate >= sinceDate) || (sinceAt !== null && endMs > sinceAt);
}
