import { foundText, invalidInput } from '../../domain/error.ts';
import type { ToldReason } from '../../domain/fleet/told-plant.ts';
import type { DowntimeReason } from '../../domain/plant/plant.ts';
import type { TopStop } from '../../domain/production/shift-figures.ts';
import { type SlicedWork, visit } from '../../domain/sliced-work.ts';
import type { ReasonStops } from './fleet-production-ports.ts';
import type { GatewayPlan } from './gateway-plan.ts';

/** A gateway of a question, with the plan that it told. */
export interface ChosenGateway {
  readonly gatewayId: string;
  readonly plantId: string;
  readonly name: string | null;
  readonly plan: GatewayPlan;
}

/** The reasons of several gateways. The same id may stand for different reasons at two of them. */
export class FleetReasons {
  readonly #common: ReadonlyMap<string, DowntimeReason>;
  readonly #plans: ReadonlyMap<string, GatewayPlan>;

  private constructor(common: ReadonlyMap<string, DowntimeReason>, plans: ReadonlyMap<string, GatewayPlan>) {
    this.#common = common;
    this.#plans = plans;
  }

  /** Hundreds of gateways tell a thousand reasons each. */
  static *of(gateways: readonly ChosenGateway[], own: readonly DowntimeReason[]): SlicedWork<FleetReasons> {
    const common = new Map(own.map((reason) => [reason.id, reason]));
    for (const { plan } of gateways) {
      for (const [id, told] of plan.reasons) if (!common.has(id)) common.set(id, reasonOf(told));
      yield;
    }
    return new FleetReasons(common, new Map(gateways.map(({ gatewayId, plan }) => [gatewayId, plan])));
  }

  /** The id, behind that of its gateway and a slash if the id stands for another reason elsewhere; null without a reason. */
  keyOf(gatewayId: string, reasonId: string | null): string | null {
    if (reasonId === null) return null;
    const told = this.#plans.get(gatewayId)?.reasons.get(reasonId);
    const isCommon = told === undefined || told.reason === this.#common.get(reasonId)?.reason;
    return isCommon ? reasonId : `${gatewayId}/${reasonId}`;
  }

  reason(key: string): DowntimeReason | null {
    const at = key.lastIndexOf('/');
    const told = at < 0 ? undefined : this.#plans.get(key.slice(0, at))?.reasons.get(key.slice(at + 1));
    return told === undefined ? (this.#common.get(key) ?? null) : reasonOf(told);
  }

  /** `of`: the gateway, or a machine of it, whose stop it is; null: of several. */
  top(stop: TopStop, of: string | null): TopStop {
    if (stop === null || of === null) return stop;
    const gatewayId = this.#plans.has(of) ? of : gatewayOf(of);
    return { ...stop, reasonId: this.keyOf(gatewayId, stop.reasonId) };
  }

  /** The reason that cost most unplanned time. */
  *topOf(rows: readonly ReasonStops[]): SlicedWork<TopStop> {
    const spent = new Map<string | null, number>();
    yield* visit(rows, ({ gatewayId, key, ms, plannedMs }) => {
      const reasonId = this.keyOf(gatewayId, key);
      spent.set(reasonId, (spent.get(reasonId) ?? 0) + ms - plannedMs);
    });
    let top: TopStop = null;
    for (const [reasonId, ms] of spent) if (ms > (top?.ms ?? 0)) top = { reasonId, ms };
    return top;
  }
}

function reasonOf({ planned, ...reason }: ToldReason): DowntimeReason {
  return { ...reason, ...(planned !== null && { planned }) };
}

/** Throws `invalid-input`. */
export function gatewayOf(machineId: string): string {
  const at = machineId.lastIndexOf('/');
  if (at > 0) return machineId.slice(0, at);
  const expected = 'the id of a machine of a gateway: that of its gateway, a slash, and its own';
  throw invalidInput([{ path: 'machineId', found: foundText(machineId), expected }]);
}
