import { tooMany } from '../../domain/error.ts';
import type { Downtime } from '../../domain/machine/records.ts';
import { receivedId } from '../../domain/sync/received-id.ts';
import { clipped, joined } from '../../domain/time-spans.ts';
import { downtimeView } from '../local-api/machine-view.ts';
import type { Clock } from '../ports.ts';
import { EXPORTED_AT_ONCE, MAX_SEARCHED_STOPS } from '../production/production-flow.ts';
import type { LongStopView } from '../production/production-views.ts';
import {
  type LogLineView,
  type LogQuestion,
  logLines,
  logTotal,
  type StopLogView,
  searchOf,
} from '../production/stop-log-view.ts';
import type { Store } from '../store-ports.ts';
import { type FleetChoice, type FleetProduction, type FleetQuestion, shiftsOfChoice } from './fleet-production.ts';

interface FleetStopLogOptions {
  readonly production: Pick<FleetProduction, 'choose'>;
  readonly store: Pick<Store, 'stopLog' | 'receivedMachines' | 'longestDowntimes'>;
  readonly clock: Clock;
}

/** Machines whose stops one answer looks through. An export has no such limit. */
export const MAX_LOGGED_MACHINES = 500;
const MACHINES_AT_ONCE = 25;
const LISTED_AT_ONCE = 250;

/** The stops and faults of gateways' machines one by one. */
export class FleetStopLog {
  readonly #options: FleetStopLogOptions;

  constructor(options: FleetStopLogOptions) {
    this.#options = options;
  }

  /** The newest `limit` lines, and the sums of all. Rejects with `rate-limited` for more machines than are looked through. */
  async log(question: FleetQuestion, asked: LogQuestion, limit: number): Promise<StopLogView> {
    const { production, store } = this.#options;
    const choice = await production.choose(question);
    const scopes = await this.#scopes(choice, asked, MAX_LOGGED_MACHINES);
    const total = { count: 0, totalMs: 0, faultMs: 0 };
    const lines: LogLineView[] = [];
    for (const { scope, names } of scopes) {
      const page = await store.stopLog({ ...scope, limit });
      total.count += page.count;
      total.totalMs += page.totalMs;
      total.faultMs += page.faultMs;
      lines.push(...logLines(page, names));
    }
    const rows = lines.sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1)).slice(0, limit);
    const shiftNames = new Set(scopes.flatMap(({ names }) => names.shifts.map(({ shiftName }) => shiftName)));
    return { shiftNames: [...shiftNames], total: logTotal({ ...total, rows: [] }), rows };
  }

  /** The whole log, machine by machine, the newest line first. A page is read when the one before it is sent. */
  async *exportLog(question: FleetQuestion, asked: LogQuestion): AsyncIterable<readonly LogLineView[]> {
    const { production, store } = this.#options;
    const choice = await production.choose(question);
    for (const { scope, names, timeText } of await this.#scopes(choice, asked, Number.POSITIVE_INFINITY)) {
      for (const machineId of scope.machineIds) {
        for (let { ranges } = scope; ranges.length > 0; ) {
          const page = await store.stopLog({ ...scope, machineIds: [machineId], ranges, limit: EXPORTED_AT_ONCE });
          yield logLines(page, names, timeText);
          const last = page.count > page.rows.length ? page.rows.at(-1) : undefined;
          ranges = last === undefined ? [] : clipped(ranges, { from: 0, to: last.startedAt });
        }
      }
    }
  }

  /** The longest stops that began in the chosen shifts, at most `limit`. */
  async longest(
    question: FleetQuestion,
    reason: string | null | undefined,
    limit: number,
  ): Promise<readonly LongStopView[]> {
    const { production, store, clock } = this.#options;
    const whole = await production.choose(question);
    // A reason that stands apart has its gateway in its key.
    const one = whole.gateways.find(({ gatewayId }) => reason?.startsWith(`${gatewayId}/`) === true);
    const choice = one === undefined ? whole : { ...whole, gateways: [one] };
    const reasonId = one === undefined ? reason : reason?.slice(one.gatewayId.length + 1);
    const nowAt = clock.now().wallMs;
    const lengthOf = ({ startedAt, endedAt }: Downtime) => (endedAt ?? nowAt) - startedAt;
    const found: { readonly stop: Downtime; readonly shiftDate: string; readonly shift: string }[] = [];
    for (const { scope, names } of await this.#scopes(choice, ANY_LINE, MAX_LOGGED_MACHINES)) {
      const [first, last] = [names.shifts[0], names.shifts.at(-1)];
      if (first === undefined || last === undefined) continue;
      for (let at = 0; at < scope.machineIds.length; at += MACHINES_AT_ONCE) {
        const machineIds = scope.machineIds.slice(at, at + MACHINES_AT_ONCE);
        const range = { from: first.startMs, to: last.endMs };
        const stops = await store.longestDowntimes({ machineIds, reasonId, range, limit: MAX_SEARCHED_STOPS });
        const inShifts = stops.flatMap((stop) => {
          const own = names.shifts.find(({ startMs, endMs }) => stop.startedAt >= startMs && stop.startedAt < endMs);
          return own === undefined ? [] : [{ stop, shiftDate: own.shiftDate, shift: own.shiftName }];
        });
        found.push(...inShifts.slice(0, limit));
      }
    }
    return found
      .sort((one, other) => lengthOf(other.stop) - lengthOf(one.stop))
      .slice(0, limit)
      .map(({ stop, ...own }) => ({ ...downtimeView(stop), ...own }));
  }

  async #scopes(choice: FleetChoice, asked: LogQuestion, atMost: number) {
    let machines = 0;
    const scopes: ReturnType<typeof scopeOf>[] = [];
    for (const gateway of choice.gateways) {
      const machineIds = choice.scope.machineIds ?? (await this.#machinesOf(gateway.gatewayId));
      const own = machineIds.filter((id) => id.startsWith(`${gateway.gatewayId}/`));
      machines += own.length;
      if (machines > atMost) throw tooMany('machines in a log', atMost, 'name a gateway, an area or a machine');
      scopes.push(scopeOf(choice, gateway, own, asked, this.#options.clock.now().wallMs));
    }
    return scopes;
  }

  async #machinesOf(gatewayId: string): Promise<readonly string[]> {
    const ids: string[] = [];
    let after: { readonly gatewayId: string; readonly machineId: string } | null = null;
    for (;;) {
      const page: readonly { readonly gatewayId: string; readonly machineId: string }[] =
        await this.#options.store.receivedMachines({ gatewayId, plantIds: null, after, take: LISTED_AT_ONCE });
      ids.push(...page.map(({ machineId }) => receivedId(gatewayId, machineId)));
      if (page.length < LISTED_AT_ONCE) return ids;
      after = page.at(-1) ?? null;
    }
  }
}

const ANY_LINE: LogQuestion = { part: null, reasonId: null, text: null };

function scopeOf(
  { scope }: FleetChoice,
  gateway: FleetChoice['gateways'][number],
  machineIds: readonly string[],
  { part, reasonId, text }: LogQuestion,
  nowAt: number,
) {
  const { calendar, machines, reasons, judgement } = gateway.plan;
  const shifts = shiftsOfChoice(gateway, scope);
  const names = {
    machineIds,
    shiftNames: [...new Set(shifts.map(({ shiftName }) => shiftName))],
    shifts,
    nowAt,
    machine: (id: string) => machines.get(id)?.name ?? null,
    gateway: () => gateway.name,
    part: () => null,
    reason: (id: string) => {
      const { planned = null, ...reason } = reasons.get(id) ?? { id, reason: null, group: null };
      return reason.reason === null ? null : { ...reason, ...(planned !== null && { planned }) };
    },
  };
  const search = searchOf(text, names, [...reasons.keys()]);
  const log: Omit<Parameters<Store['stopLog']>[0], 'limit'> = {
    machineIds,
    ranges: joined(shifts.map(({ startMs, endMs }) => ({ from: startMs, to: endMs }))),
    filter: { part, reasonId, search, breakdownReasons: judgement.breakdownReasons },
    nowAt,
  };
  return { scope: log, names, timeText: calendar.timeText };
}
