import { CodedError, foundText, noSuch } from '../../domain/error.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import type { PlantScope } from '../../domain/plant/plant-scope.ts';
import type { Shift } from '../../domain/shift/shift-calendar.ts';
import type { GatewayStream } from '../../domain/sync/name-claim.ts';
import { idAtGateway, receivedMachineId } from '../../domain/sync/received-id.ts';
import { Slice } from '../../runtime/slice.ts';
import type { FleetPlanRecord } from '../fleet-plan/fleet-plan-ports.ts';
import type { FleetProduction } from '../fleet-production/fleet-production.ts';
import type { FleetStopLog } from '../fleet-production/fleet-stop-log.ts';
import type { LocalApiFlow } from '../local-api/local-api-flow.ts';
import type { ProductionView } from '../local-api/local-api-ports.ts';
import { anomalyView, downtimeView, productionView, spanView, workSessionView } from '../local-api/machine-view.ts';
import type { Actor, Clock } from '../ports.ts';
import type { DowntimeFilter, Store, TimeRange } from '../store-ports.ts';
import type { BatchReceiver } from './batch-receiver.ts';
import { type Fleet, reportIn } from './fleet.ts';
import { type GatewayView, gatewayView } from './gateway-view.ts';
import type { FleetRecord, ReceivedGateway } from './receive-ports.ts';
import { ReceivedMachines, type ReceivedMachinesOptions } from './received-machines.ts';
import { SeenGateways } from './seen-gateways.ts';

/** What gateways' machines made, and why they stood. */
export interface FleetProductionViews {
  readonly sums: FleetProduction;
  readonly log: FleetStopLog;
}

export interface ReceivedViewsOptions {
  readonly store: Pick<
    Store,
    | 'receivedGateways'
    | 'receivedMachines'
    | 'receivedMachine'
    | 'downtimes'
    | 'shifts'
    | 'spans'
    | 'workSessions'
    | 'anomalies'
    | 'variablePoints'
    | 'variableBuckets'
  > & { write(records: readonly (FleetRecord | FleetPlanRecord)[]): Promise<void> };
  /** Null if no batches of other gateways are taken. */
  readonly receiver: Pick<BatchReceiver, 'grant' | 'heardLast' | 'inTurn'> | null;
  readonly production: FleetProductionViews;
  /** Null like `receiver`. */
  readonly fleet: Pick<Fleet, 'judge' | 'gateway' | 'look'> | null;
  readonly nameOf: ReceivedMachinesOptions['nameOf'];
  /** Our own shifts, for the date of requests without one. */
  readonly shifts: {
    readonly shiftAt: (wallMs: number) => Shift;
    readonly shiftsOfDate: (shiftDate: string) => readonly Shift[];
  };
  readonly clock: Clock;
}

/** Silent ones, then by the machines that need a person, then by troubles. */
function worstFirst(a: GatewayView, b: GatewayView): number {
  const rank = ({ contact, health, troubles }: GatewayView) =>
    (contact.state === 'silent' ? 1e9 : 0) + (health?.needs.length ?? 0) * 1_000 + troubles.length;
  return rank(b) - rank(a);
}

/** A gateway that sent here before this one got a central server of its own. */
const UNJUDGED = { contact: { state: 'awaited' }, health: null, troubles: [] } as const;

type VariableRange = TimeRange | { readonly shiftDate: string };

/** The view of other gateways and their records for the page. */
export class ReceivedViews {
  readonly #options: ReceivedViewsOptions;
  readonly #seen: SeenGateways;
  readonly machines: ReceivedMachines;
  readonly production: FleetProductionViews;

  constructor(options: ReceivedViewsOptions, plants: PlantScope = 'all') {
    this.#options = options;
    this.#seen = new SeenGateways(options.store, plants);
    this.production = options.production;
    this.machines = new ReceivedMachines({ ...options, seen: this.#seen });
  }

  /** The view of a caller that is for these plants: gateways of others are not there, to read and to change. */
  seenBy({ plants = 'all' }: Pick<Actor, 'plants'>): ReceivedViews {
    return plants === 'all' ? this : new ReceivedViews(this.#options, plants);
  }

  /** The gateways that send here, the worst first, with their condition and what is wrong (contract.md, `/gateways`). */
  async list(): Promise<readonly GatewayView[]> {
    const { fleet, clock } = this.#options;
    const slice = new Slice();
    const views: GatewayView[] = [];
    for (const gateway of await this.#seen.all()) {
      await slice.pause();
      const judged = fleet?.judge(gateway, clock.now());
      const known = judged ?? { ...gateway, ...UNJUDGED, told: reportIn(gateway.report) };
      views.push(gatewayView(known, (refusal) => this.#heardAt(gateway, refusal)));
    }
    return views.sort(worstFirst);
  }

  /** Gives the gateway's name to a refused stream; the stream that holds it is refused from now on. */
  async grant({ gatewayId, stream }: GatewayStream): Promise<void> {
    const { receiver } = this.#options;
    const gateway = await this.#known(gatewayId);
    const refusal = gateway.refused.find((one) => one.stream === stream);
    if (refusal === undefined) {
      const expected = `a stream that is refused the name of gateway ${foundText(gatewayId)}`;
      throw new CodedError('not-found', `stream: found ${foundText(stream)}, expected ${expected}`);
    }
    if (receiver === null)
      throw new CodedError('conflict', 'a gateway with a central server of its own takes no batches');
    await receiver.grant({ gatewayId, stream, principal: refusal.principal });
  }

  #heardAt(
    { gatewayId }: ReceivedGateway,
    { stream, principal }: Pick<ReceivedGateway, 'stream' | 'principal'>,
  ): number | null {
    return stream === null
      ? null
      : (this.#options.receiver?.heardLast({ gatewayId, stream, principal })?.heardAt ?? null);
  }

  /** `name` null takes away the name that a person gave it. Rejects with `not-found`. */
  async rename(gatewayId: string, name: string | null): Promise<void> {
    const { store, fleet } = this.#options;
    await this.#known(gatewayId);
    await store.write([{ kind: 'gatewayRenamed', gatewayId, name }]);
    await fleet?.look();
  }

  /** The name that a person gave it; null without one. */
  nameOf(gatewayId: string): string | null {
    return this.#options.fleet?.gateway(gatewayId)?.name ?? null;
  }

  /** The plant that it is in; null: no such gateway is there. */
  async plantOf(gatewayId: string): Promise<string | null> {
    return (await this.#seen.find(gatewayId))?.plantId ?? null;
  }

  /** Takes it out of all lists (D-98). Rejects with `not-found`, and with `conflict` while it is heard. */
  async retire(gatewayId: string): Promise<void> {
    const { store, fleet, receiver, clock } = this.#options;
    const gateway = await this.#known(gatewayId);
    const state = fleet?.judge(gateway, clock.now()).contact.state ?? 'silent';
    if (state !== 'silent') {
      const found = state === 'live' ? 'heard' : 'expected to come back after a start here';
      const remedy = 'take "upstream" from its configuration or stop it, and try again after a minute';
      throw new CodedError('conflict', `gateway ${foundText(gatewayId)} is ${found}: ${remedy}`);
    }
    // Another gateway may come under its id, and must not get the plan of a group.
    const left = { kind: 'gatewayGrouped', gatewayId, groupId: null } as const;
    const write = () => store.write([{ kind: 'gatewayRetired', gatewayId }, left]);
    await (receiver === null ? write() : receiver.inTurn(gatewayId, write));
    await fleet?.look();
  }

  async #known(gatewayId: string): Promise<ReceivedGateway> {
    const gateway = await this.#seen.find(gatewayId);
    if (gateway === null) throw noSuch('sending gateway', gatewayId);
    return gateway;
  }

  past(gatewayId: string): GatewayPast {
    return new GatewayPast(gatewayId, this.machines, this.#options);
  }
}

/** The past of one gateway's machines. */
class GatewayPast {
  readonly #gatewayId: string;
  readonly #machines: ReceivedMachines;
  readonly #options: ReceivedViewsOptions;

  constructor(gatewayId: string, machines: ReceivedMachines, options: ReceivedViewsOptions) {
    this.#gatewayId = gatewayId;
    this.#machines = machines;
    this.#options = options;
  }

  /** The machine with its last status. */
  async status(machineId: string) {
    return this.#machines.whole(await this.#machines.known(this.#gatewayId, machineId));
  }

  async downtimes(machineId: string, filter: DowntimeFilter): Promise<readonly object[]> {
    const downtimes = await this.#options.store.downtimes(await this.#known(machineId), filter);
    return downtimes.map((downtime) =>
      this.#named(machineId, { ...downtimeView(downtime), downtimeId: idAtGateway(downtime.downtimeId) }),
    );
  }

  async workSessions(machineId: string, limit: number): Promise<readonly object[]> {
    const sessions = await this.#options.store.workSessions(await this.#known(machineId), limit);
    return sessions.map((session) =>
      this.#named(machineId, { ...workSessionView(session), sessionId: idAtGateway(session.sessionId) }),
    );
  }

  async anomalies(machineId: string, limit: number): Promise<readonly object[]> {
    const anomalies = await this.#options.store.anomalies(await this.#known(machineId), limit);
    return anomalies.map((anomaly) => this.#named(machineId, anomalyView(anomaly)));
  }

  async production(machineId: string, shiftDate: string | null): Promise<ProductionView> {
    const { store, shifts, clock } = this.#options;
    const date = shiftDate ?? shifts.shiftAt(clock.now().wallMs).shiftDate;
    shifts.shiftsOfDate(date);
    const found = await store.shifts(await this.#known(machineId), date);
    return this.#named(machineId, productionView(date, found));
  }

  async timeline(machineId: string, range: TimeRange) {
    const spans = await this.#options.store.spans(await this.#known(machineId), range);
    return spans.map((span) => this.#named(machineId, spanView(span)));
  }

  async variablePoints(machineId: string, name: string, range: VariableRange) {
    if ('shiftDate' in range) this.#options.shifts.shiftsOfDate(range.shiftDate);
    return this.#options.store.variablePoints(await this.#known(machineId), name, range);
  }

  async variableBuckets(machineId: string, name: string, range: VariableRange, buckets: number) {
    const times = 'shiftDate' in range ? this.#timesOf(range.shiftDate) : range;
    return this.#options.store.variableBuckets(await this.#known(machineId), name, times, buckets);
  }

  async #known(machineId: string): Promise<MachineId> {
    await this.#machines.known(this.#gatewayId, machineId);
    return receivedMachineId(this.#gatewayId, machineId);
  }

  #named<T extends object>(machineId: string, view: T): T & { readonly gatewayId: string; readonly machineId: string } {
    return { ...view, gatewayId: this.#gatewayId, machineId };
  }

  #timesOf(shiftDate: string): TimeRange {
    const shifts = this.#options.shifts.shiftsOfDate(shiftDate);
    return { from: shifts[0]?.startMs ?? 0, to: shifts.at(-1)?.endMs ?? 0 };
  }
}

/** Questions about the past that machines of our own and of other gateways share. */
export type MachinePast = Pick<LocalApiFlow, 'production' | 'timeline' | 'variablePoints' | 'variableBuckets'>;
