import { CodedError, foundText, invalidInput, noSuch } from '../../domain/error.ts';
import type { Sight } from '../../domain/plant/sight.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import type { Fleet } from '../receive/fleet.ts';
import type { Store } from '../store-ports.ts';
import type { FleetPlanQueries, GatewayGroup } from './fleet-plan-ports.ts';
import { groupView } from './group-view.ts';

export interface GatewayGroupsOptions {
  readonly store: Pick<FleetPlanQueries, 'gatewayGroups' | 'planVersions'> & Pick<Store, 'write' | 'receivedGateways'>;
  /** Null if this gateway has a central server itself: then it has no groups. */
  readonly fleet: Pick<Fleet, 'gateway'> | null;
  readonly newId: () => string;
}

/** Groups of gateways. One more is refused. */
export const MAX_GROUPS = 200;

/** Groups of gateways that send here (D-106). A gateway is in one group at most, and in none at first. */
export class GatewayGroups {
  readonly #options: GatewayGroupsOptions;
  /** Two people at once would give the same name twice, or the same number to two versions. */
  readonly #acts = new WorkQueue();

  constructor(options: GatewayGroupsOptions) {
    this.#options = options;
  }

  /** All groups, each with its gateways of which a caller may know. */
  async list(sight: Sight) {
    const { groups, members } = await this.#options.store.gatewayGroups();
    const views = [];
    for (const group of groups) views.push(await this.#view(group, members, sight));
    return views;
  }

  /** A group, and where each of its gateways stands of which a caller may know. */
  async read(groupId: string, sight: Sight) {
    const { members } = await this.#options.store.gatewayGroups();
    return this.#view(await this.find(groupId), members, sight);
  }

  /** The name of a group, for the audit; empty if there is none. */
  async nameOf(groupId: string): Promise<string> {
    const { groups } = await this.#options.store.gatewayGroups();
    return groups.find((group) => group.groupId === groupId)?.name ?? '';
  }

  create(name: string): Promise<{ readonly groupId: string }> {
    return this.act(async () => {
      const { store, newId } = this.#options;
      const { groups } = await store.gatewayGroups();
      if (groups.length >= MAX_GROUPS)
        throw new CodedError('conflict', `there are ${MAX_GROUPS} groups: remove one first`);
      refuseTwice(groups, name, null);
      const group = { groupId: newId(), name, rollOut: null, preview: null };
      await store.write([{ kind: 'gatewayGroup', group }]);
      return { groupId: group.groupId };
    });
  }

  rename(groupId: string, name: string): Promise<void> {
    return this.change(groupId, async (group) => {
      refuseTwice((await this.#options.store.gatewayGroups()).groups, name, groupId);
      return { ...group, name };
    });
  }

  /** Its gateways keep what they have. */
  remove(groupId: string): Promise<void> {
    return this.act(async () => {
      await this.find(groupId);
      await this.#options.store.write([{ kind: 'gatewayGroupRemoved', groupId }]);
    });
  }

  /** The gateway leaves the group in which it was. Rejects with `not-found` for one that does not send here. */
  join(groupId: string, gatewayId: string): Promise<void> {
    return this.act(async () => {
      const { store } = this.#options;
      await this.find(groupId);
      const known = await store.receivedGateways();
      if (known.every((gateway) => gateway.gatewayId !== gatewayId)) throw noSuch('gateway', gatewayId);
      await store.write([{ kind: 'gatewayGrouped', gatewayId, groupId }]);
    });
  }

  leave(groupId: string, gatewayId: string): Promise<void> {
    return this.act(async () => {
      const { store } = this.#options;
      const { members } = await store.gatewayGroups();
      const isMember = members.some((one) => one.gatewayId === gatewayId && one.groupId === groupId);
      if (!isMember) throw noSuch('gateway of this group', gatewayId);
      await store.write([{ kind: 'gatewayGrouped', gatewayId, groupId: null }]);
    });
  }

  /** Rejects with `not-found`. */
  async find(groupId: string): Promise<GatewayGroup> {
    const { groups } = await this.#options.store.gatewayGroups();
    const group = groups.find((one) => one.groupId === groupId);
    if (group === undefined) throw noSuch('group', groupId);
    return group;
  }

  /** Acts run one after the other. Rejects with `conflict` where there are no groups. */
  act<T>(act: () => Promise<T>): Promise<T> {
    if (this.#options.fleet !== null) return this.#acts.run(act);
    const reason = 'a gateway with a central server of its own has no groups: its central server has them';
    return Promise.reject(new CodedError('conflict', reason));
  }

  change(groupId: string, make: (group: GatewayGroup) => Promise<GatewayGroup>): Promise<void> {
    return this.act(async () => {
      const group = await make(await this.find(groupId));
      await this.#options.store.write([{ kind: 'gatewayGroup', group }]);
    });
  }

  async #view(
    group: GatewayGroup,
    members: Awaited<ReturnType<FleetPlanQueries['gatewayGroups']>>['members'],
    sight: Sight,
  ) {
    const { store, fleet } = this.#options;
    const [newest = null] = await store.planVersions(group.groupId);
    const gateways = members.flatMap(({ gatewayId, groupId }) =>
      groupId === group.groupId && sight.ofGateway(gatewayId)
        ? [{ gatewayId, gateway: fleet?.gateway(gatewayId) ?? null }]
        : [],
    );
    return groupView(group, newest, gateways);
  }
}

function refuseTwice(groups: readonly GatewayGroup[], name: string, own: string | null): void {
  const isTaken = groups.some((group) => group.groupId !== own && group.name.toLowerCase() === name.toLowerCase());
  if (isTaken) throw invalidInput([{ path: 'name', found: foundText(name), expected: 'a name that no group has' }]);
}
