import type { ToldPlant } from '../../domain/fleet/told-plant.ts';
import type { ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { datesBefore } from '../../domain/shift/shift-dates.ts';
import { receivedId } from '../../domain/sync/received-id.ts';
import { Slice } from '../../runtime/slice.ts';
import type { Clock } from '../ports.ts';
import type { FleetRecord } from '../receive/receive-ports.ts';
import type { FleetProductionQueries } from './fleet-production-ports.ts';
import { type GatewayPlan, planOf, untoldPlan } from './gateway-plan.ts';

export interface ToldPlantsOptions {
  readonly store: Pick<FleetProductionQueries, 'toldPlants' | 'toldPlant' | 'noteChangedPlan'> & {
    write(records: readonly FleetRecord[]): Promise<void>;
  };
  /** The shifts of this central server. */
  readonly calendar: Pick<ShiftCalendar, 'shiftAt' | 'shiftsOfDate' | 'timeText'>;
  readonly clock: Clock;
}

/** Another node may have taken what a gateway told. */
const LOOK_AGAIN_MS = 5_000;
/** After a change of a plan the shifts of these days are added up anew, like those after a start (ProductionFlow). */
const JUDGED_ANEW_DAYS = 31;
/** A gateway that tells its plan for the first time may have sent as much before. */
const JUDGED_FIRST_DAYS = 400;

/** What gateways told of their plants (D-105). */
export class ToldPlants {
  readonly #options: ToldPlantsOptions;
  readonly #untold: GatewayPlan;
  readonly #plans = new Map<string, { readonly digest: string; readonly plan: GatewayPlan }>();
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ToldPlantsOptions) {
    this.#options = options;
    this.#untold = untoldPlan(options.calendar);
  }

  /** As of the newest look. */
  of(gatewayId: string): GatewayPlan {
    return this.#plans.get(gatewayId)?.plan ?? this.#untold;
  }

  /** The name that a machine has at its gateway; null: the gateway told none. */
  nameOf(gatewayId: string, machineId: string): string | null {
    return this.of(gatewayId).machines.get(receivedId(gatewayId, machineId))?.name ?? null;
  }

  /** Whether the gateway has something else to tell than it told last. */
  isWanted(gatewayId: string, digest: string): boolean {
    return this.#plans.get(gatewayId)?.digest !== digest;
  }

  /** Reads what is new, at most every few seconds. */
  async look(): Promise<void> {
    const { store, clock } = this.#options;
    const { monotonicMs } = clock.now();
    if (monotonicMs - this.#lookedMs < LOOK_AGAIN_MS) return;
    this.#lookedMs = monotonicMs;
    const told = await store.toldPlants();
    const known = new Set(told.map(({ gatewayId }) => gatewayId));
    for (const gatewayId of this.#plans.keys()) if (!known.has(gatewayId)) this.#plans.delete(gatewayId);
    for (const { gatewayId, digest } of told) {
      if (!this.isWanted(gatewayId, digest)) continue;
      const json = await store.toldPlant(gatewayId);
      // It was checked before it was kept.
      if (json !== null) this.#plans.set(gatewayId, { digest, plan: planOf(gatewayId, JSON.parse(json) as ToldPlant) });
    }
  }

  /** Keeps what a gateway tells. Rejects with `invalid-input` if its shifts make no plan. */
  async take(gatewayId: string, digest: string, told: ToldPlant): Promise<void> {
    const { store, calendar, clock } = this.#options;
    if (!this.isWanted(gatewayId, digest)) return;
    // Reading the largest one, its plan and its text take several milliseconds each.
    const slice = new Slice();
    await slice.next();
    const plan = planOf(gatewayId, told);
    await slice.next();
    const days = this.#plans.has(gatewayId) ? JUDGED_ANEW_DAYS : JUDGED_FIRST_DAYS;
    await store.write([{ kind: 'gatewayPlant', gatewayId, digest, json: JSON.stringify(told) }]);
    this.#plans.set(gatewayId, { digest, plan });
    const { shiftDate } = calendar.shiftAt(clock.now().wallMs);
    const { from } = datesBefore({ from: shiftDate, to: shiftDate }, days);
    await store.noteChangedPlan(gatewayId, from);
  }
}
