import type { Claimer } from '../../domain/sync/name-claim.ts';
import type { Fleet } from '../receive/fleet.ts';
import type { FleetPlanQueries, PlanTarget } from './fleet-plan-ports.ts';

export interface PlanSourceOptions {
  readonly store: Pick<FleetPlanQueries, 'planTarget' | 'planVersion'>;
  readonly fleet: Pick<Fleet, 'gateway'>;
}

const NO_GROUP: PlanTarget = { groupId: '', rollOut: null, preview: null };

/** The plans that gateways fetch (contract.md, Upstream; D-106). Hundreds ask every few seconds, and nearly always nothing is new. */
export class PlanSource {
  readonly #options: PlanSourceOptions;

  constructor(options: PlanSourceOptions) {
    this.#options = options;
  }

  /**
   * What a gateway has to do, and the tag that stands for it. A stream or key that does not hold the gateway's name is told
   * of no group, because plans hold hashes of secrets.
   */
  async target({
    gatewayId,
    stream,
    principal,
  }: Claimer): Promise<{ readonly target: PlanTarget; readonly tag: string }> {
    const { store, fleet } = this.#options;
    const known = fleet.gateway(gatewayId);
    const isHolder = known !== null && known.stream === stream && known.principal === principal;
    const target = (isHolder ? await store.planTarget(gatewayId) : null) ?? NO_GROUP;
    return { target, tag: `W/"${target.groupId}/${target.rollOut ?? '-'}/${target.preview ?? '-'}"` };
  }

  /** The plans of a target as JSON, which the main thread does not read. */
  async bytes({ groupId, rollOut, preview }: PlanTarget): Promise<Uint8Array<ArrayBuffer>> {
    const rolledOut = await this.#text(groupId, rollOut);
    const compared = await this.#text(groupId, preview);
    const group = groupId === '' ? null : groupId;
    return new TextEncoder().encode(
      `{"groupId":${JSON.stringify(group)},"rollOut":${rolledOut},"preview":${compared}}`,
    );
  }

  async #text(groupId: string, version: number | null): Promise<string> {
    const stored = version === null ? null : await this.#options.store.planVersion(groupId, version);
    if (stored === null) return 'null';
    const { overwrite } = stored.version;
    return `{"version":${version},"overwrite":${overwrite},"plan":${stored.plan}}`;
  }
}
