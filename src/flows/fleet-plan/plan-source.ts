import type { RollOut } from '../../domain/fleet/update/roll-out.ts';
import type { Claimer } from '../../domain/sync/name-claim.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import type { FleetArchives } from '../fleet-update/fleet-archives.ts';
import type { FleetUpdateQueries } from '../fleet-update/fleet-update-ports.ts';
import type { Fleet } from '../receive/fleet.ts';
import type { FleetPlanQueries, PlanTarget } from './fleet-plan-ports.ts';

export interface PlanSourceOptions {
  readonly store: Pick<FleetPlanQueries, 'planTarget' | 'planVersion'> & Pick<FleetUpdateQueries, 'releasedUpdate'>;
  readonly archives: Pick<FleetArchives, 'read'>;
  readonly fleet: Pick<Fleet, 'gateway'>;
}

/** What a gateway has to apply and to compare itself with, and the update that it is given. */
interface GatewayTarget extends PlanTarget {
  readonly update: RollOut | null;
}

const NO_GROUP: GatewayTarget = { groupId: '', rollOut: null, preview: null, update: null };

/** The plans that gateways fetch (contract.md, Upstream; D-106). Hundreds ask every few seconds, and nearly always nothing is new. */
export class PlanSource {
  readonly #options: PlanSourceOptions;
  /** Hundreds of gateways fetch the same half megabyte after a roll-out: machines have their turns in between. */
  readonly #making = new WorkQueue();

  constructor(options: PlanSourceOptions) {
    this.#options = options;
  }

  /**
   * What a gateway has to do, and the tag that stands for it. A stream or key that does not hold the gateway's name is told
   * of no group, because plans hold hashes of secrets.
   */
  async target(from: Claimer): Promise<{ readonly target: GatewayTarget; readonly tag: string }> {
    const { store } = this.#options;
    const group = this.#isHolder(from) ? await store.planTarget(from.gatewayId) : null;
    const target = group === null ? NO_GROUP : { ...group, update: await store.releasedUpdate(from.gatewayId) };
    const { groupId, rollOut, preview, update } = target;
    return { target, tag: `W/"${groupId}/${rollOut ?? '-'}/${preview ?? '-'}/${update?.updateId ?? '-'}"` };
  }

  /** The plans of a target as JSON, which the main thread does not read. */
  bytes(target: GatewayTarget): Promise<Uint8Array<ArrayBuffer>> {
    return this.#making.run(() => this.#bytes(target));
  }

  async #bytes({ groupId, rollOut, preview, update }: GatewayTarget): Promise<Uint8Array<ArrayBuffer>> {
    const parts = [
      `"groupId":${JSON.stringify(groupId === '' ? null : groupId)}`,
      `"rollOut":${await this.#text(groupId, rollOut)}`,
      `"preview":${await this.#text(groupId, preview)}`,
      `"update":${JSON.stringify(update && { updateId: update.updateId, version: update.version, bytes: update.bytes })}`,
    ];
    return new TextEncoder().encode(`{${parts.join(',')}}`);
  }

  /** A piece of the update that a gateway was given; null: it is given none, or the archive is not at this node. */
  async piece(from: Claimer, updateId: string, offset: number, bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const { store, archives } = this.#options;
    const update = this.#isHolder(from) ? await store.releasedUpdate(from.gatewayId) : null;
    return update?.updateId === updateId ? archives.read(update.archiveId, offset, bytes) : null;
  }

  #isHolder({ gatewayId, stream, principal }: Claimer): boolean {
    const known = this.#options.fleet.gateway(gatewayId);
    return known !== null && known.stream === stream && known.principal === principal;
  }

  async #text(groupId: string, version: number | null): Promise<string> {
    const stored = version === null ? null : await this.#options.store.planVersion(groupId, version);
    if (stored === null) return 'null';
    const { overwrite } = stored.version;
    return `{"version":${version},"overwrite":${overwrite},"plan":${stored.plan}}`;
  }
}
