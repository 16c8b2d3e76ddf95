import { CodedError, invalidInput, noSuch } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import {
  isForNobody,
  nextStep,
  passedOver,
  type RollOut,
  type UpdatedGateway,
  updateStanding,
  whyNotFirst,
} from '../../domain/fleet/update/roll-out.ts';
import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import type { Sight } from '../../domain/plant/sight.ts';
import type { Audit } from '../audit/audit.ts';
import type { FleetPlanQueries } from '../fleet-plan/fleet-plan-ports.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { Fleet } from '../receive/fleet.ts';
import type { FleetArchives } from './fleet-archives.ts';
import type { FleetUpdateQueries, FleetUpdateRecord } from './fleet-update-ports.ts';
import { type RollOutView, rollOutView } from './roll-out-view.ts';

export interface RollOutsOptions {
  readonly store: Pick<FleetUpdateQueries, 'rollOuts' | 'releases'> &
    Pick<FleetPlanQueries, 'gatewayGroups'> & { write(records: readonly FleetUpdateRecord[]): Promise<void> };
  readonly archives: Pick<FleetArchives, 'find'>;
  /** Null if this gateway has a central server itself. */
  readonly fleet: Pick<Fleet, 'gateway'> | null;
  /** One node of a central server takes the steps. */
  readonly isOnDuty: () => boolean;
  /** The audit of a plant: acts on gateways are kept in that of their plant. */
  readonly auditOf: (plantId: string) => Pick<Audit, 'note'>;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The pause between two looks at all roll-outs. */
export const STEP_MS = 5_000;
/** After a start the gateways have this time to be heard and judged again. */
const FIRST_LOOK_MS = 20_000;
/** The principal of steps in the audit. */
const ROLL_OUT = 'roll-out';

export interface NewRollOut {
  readonly archiveId: string;
  readonly canaries: readonly string[];
  readonly atOnce: number;
}

/** Updates of groups of gateways in steps (D-107). Each step is judged by what the gateways tell of themselves. */
export class RollOuts {
  readonly #options: RollOutsOptions;
  readonly #startedMs: number;
  #stepping: Promise<void> | null = null;

  constructor(options: RollOutsOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now().monotonicMs;
  }

  /** Looks from now on, until the function that it gives is called. */
  start(): () => void {
    const timer = setInterval(() => void this.step(), STEP_MS).unref();
    return () => clearInterval(timer);
  }

  /**
   * Begins an update of a group. Rejects with `conflict` while one is running, and if no gateway, or none of the canaries,
   * can take it.
   */
  async begin(groupId: string, { archiveId, canaries, atOnce }: NewRollOut, who: string): Promise<void> {
    const { store, archives, clock, newId } = this.#options;
    const members = await this.#membersOf(groupId);
    const strange = canaries.filter((gatewayId) => !members.includes(gatewayId));
    if (strange.length > 0) {
      throw invalidInput([{ path: 'canaries', found: strange.join(', '), expected: 'gateways of this group' }]);
    }
    if ((await this.#of(groupId))?.state === 'running') {
      throw new CodedError('conflict', 'an update of this group is running: stop it first');
    }
    const { version, arch, bytes } = await archives.find(archiveId);
    const at = Math.round(clock.now().wallMs);
    const update = { groupId, updateId: newId(), archiveId, version, arch, bytes };
    const terms = { canaries, atOnce, at, who, state: 'running', why: '', passed: [] } as const;
    const rollOut: RollOut = { ...update, ...terms };
    await this.#expectAble(rollOut);
    await store.write([{ kind: 'rollOut', rollOut }]);
  }

  async #expectAble(rollOut: RollOut): Promise<void> {
    const { version, arch, canaries } = rollOut;
    const judged = await this.#judged(rollOut);
    if (isForNobody(judged)) {
      throw new CodedError('conflict', `no gateway of this group can take version ${version} for ${arch}`);
    }
    const chosen = judged.filter(({ gatewayId }) => canaries.includes(gatewayId));
    const unable = chosen.flatMap((gateway) => {
      const why = whyNotFirst(rollOut, gateway);
      return why === null ? [] : [`${gateway.gatewayId} (${why})`];
    });
    if (unable.length === 0 || unable.length < chosen.length) return;
    throw new CodedError('conflict', `it cannot be tried first at ${unable.join(', ')}: choose another gateway`);
  }

  /** No further gateway is given it, and none fetches it any more; one that root has already goes on. */
  async stop(groupId: string): Promise<void> {
    const { updateId, state } = await this.#known(groupId);
    if (state !== 'running') throw new CodedError('conflict', `it is ${state} already`);
    await this.#write({ kind: 'rollOutState', updateId, from: 'running', to: 'stopped', why: '', passed: [] });
  }

  /** Goes on; gateways that have failed by now, and canaries that could not try it, do not stop it again. */
  async goOn(groupId: string): Promise<void> {
    const rollOut = await this.#known(groupId);
    const { updateId, state } = rollOut;
    if (state !== 'stopped') throw new CodedError('conflict', `it is ${state}: only a stopped one goes on`);
    const passed = passedOver(rollOut, await this.#judged(rollOut));
    await this.#write({ kind: 'rollOutState', updateId, from: 'stopped', to: 'running', why: '', passed });
  }

  /** The last update of a group, and where each gateway stands of which a caller may know; null: there was none. */
  async view(groupId: string, sight: Sight): Promise<RollOutView | null> {
    await this.#membersOf(groupId);
    const rollOut = await this.#of(groupId);
    return rollOut === null ? null : rollOutView(rollOut, await this.#judged(rollOut), sight);
  }

  /** Archives that a roll-out needs. */
  async needed(): Promise<ReadonlySet<string>> {
    const rollOuts = await this.#options.store.rollOuts();
    return new Set(rollOuts.filter(({ state }) => state !== 'done').map(({ archiveId }) => archiveId));
  }

  /** Takes the next steps of all roll-outs that are running. Never rejects. */
  step(): Promise<void> {
    this.#stepping ??= this.#step()
      .catch((error: unknown) =>
        this.#options.incidents.report({ kind: 'internal', subject: 'updates', detail: errorMessage(error) }),
      )
      .finally(() => {
        this.#stepping = null;
      });
    return this.#stepping;
  }

  async #step(): Promise<void> {
    const { store, clock, isOnDuty } = this.#options;
    if (!isOnDuty() || clock.now().monotonicMs - this.#startedMs < FIRST_LOOK_MS) return;
    for (const rollOut of await store.rollOuts()) if (rollOut.state === 'running') await this.#advance(rollOut);
  }

  async #advance(rollOut: RollOut): Promise<void> {
    const { updateId, version } = rollOut;
    const at = Math.round(this.#options.clock.now().wallMs);
    const { release, end } = nextStep(rollOut, await this.#gateways(rollOut), at);
    if (release.length > 0) {
      await this.#write({ kind: 'updateReleased', updateId, gatewayIds: release, at });
      for (const [plantId, gateways] of Map.groupBy(release, (gatewayId) => this.#plantOf(gatewayId))) {
        this.#note(plantId, 'giveUpdate', version, { gateways });
      }
    }
    if (end === null) return;
    await this.#write({ kind: 'rollOutState', updateId, from: 'running', to: end.state, why: end.why, passed: [] });
    if (end.state === 'done') {
      this.#note(FIRST_PLANT, 'endUpdate', version, { why: '' });
      return;
    }
    const { gatewayId, why } = end;
    this.#note(gatewayId === null ? FIRST_PLANT : this.#plantOf(gatewayId), 'stopUpdate', version, { why });
    const detail = `the update to version ${version} has stopped: ${why}`;
    const about = gatewayId === null ? { subject: 'updates' } : { subject: gatewayId, gatewayId };
    this.#options.incidents.report({ kind: 'sendingGateway', ...about, detail });
  }

  async #judged(rollOut: RollOut) {
    const now = this.#options.clock.now().wallMs;
    const gateways = await this.#gateways(rollOut);
    return gateways.map((gateway) => ({ ...gateway, ...updateStanding(rollOut, gateway, now) }));
  }

  async #gateways({ groupId, updateId }: RollOut): Promise<readonly UpdatedGateway[]> {
    const { store, fleet } = this.#options;
    const released = new Map((await store.releases(updateId)).map(({ gatewayId, at }) => [gatewayId, at]));
    return (await this.#membersOf(groupId)).map((gatewayId) => {
      const gateway = fleet?.gateway(gatewayId) ?? null;
      return {
        gatewayId,
        contact: gateway?.contact ?? { state: 'awaited' },
        version: gateway?.health?.version ?? null,
        report: gateway?.health?.update ?? null,
        releasedAt: released.get(gatewayId) ?? null,
      };
    });
  }

  /** Rejects with `not-found` if there is no such group. */
  async #membersOf(groupId: string): Promise<readonly string[]> {
    const { groups, members } = await this.#options.store.gatewayGroups();
    if (groups.every((group) => group.groupId !== groupId)) throw noSuch('group', groupId);
    return members.flatMap((member) => (member.groupId === groupId ? [member.gatewayId] : []));
  }

  async #of(groupId: string): Promise<RollOut | null> {
    return (await this.#options.store.rollOuts()).find((rollOut) => rollOut.groupId === groupId) ?? null;
  }

  async #known(groupId: string): Promise<RollOut> {
    const rollOut = await this.#of(groupId);
    if (rollOut === null) throw noSuch('update of group', groupId);
    return rollOut;
  }

  #write(record: FleetUpdateRecord): Promise<void> {
    return this.#options.store.write([record]);
  }

  #plantOf(gatewayId: string): string {
    return this.#options.fleet?.gateway(gatewayId)?.plantId ?? FIRST_PLANT;
  }

  #note(plantId: string, act: string, version: string, after: object): void {
    const entry = { who: ROLL_OUT, role: '', address: '', act, subject: version, before: null };
    this.#options.auditOf(plantId).note({ ...entry, after: JSON.stringify(after) });
  }
}
