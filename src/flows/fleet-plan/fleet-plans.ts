import { noSuch } from '../../domain/error.ts';
import { EMPTY_SEALED, PLAN_KINDS, type PlanVersion, type SealedPlan } from '../../domain/fleet/plan/fleet-plan.ts';
import { type PlanDifference, planDifference } from '../../domain/fleet/plan/plan-difference.ts';
import { shownRecord } from '../../domain/fleet/plan/sealed-record.ts';
import { type SealSources, sealPlan } from '../plant/plan-secrets.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { FleetPlanQueries } from './fleet-plan-ports.ts';
import type { GatewayGroups } from './gateway-groups.ts';
import { versionView } from './group-view.ts';
import { type PlanShapes, readPlan } from './read-plan.ts';

export interface FleetPlansOptions extends Omit<SealSources, 'former'> {
  readonly store: Pick<FleetPlanQueries, 'planVersion' | 'planVersions'> & Pick<Store, 'write'>;
  readonly groups: Pick<GatewayGroups, 'find' | 'act' | 'change'>;
  readonly shapes: PlanShapes;
  readonly clock: Clock;
}

/** Versions of a group's plan that are kept, beside the one that is rolled out. */
export const MAX_KEPT_VERSIONS = 50;

/** A new version of a plan, as a person gives it. */
interface PlanProposal {
  readonly plan: unknown;
  readonly note: string;
  readonly overwrite: boolean;
}

/** The versions of the plans of groups, and which of them is rolled out (D-106). */
export class FleetPlans {
  readonly #options: FleetPlansOptions;

  constructor(options: FleetPlansOptions) {
    this.#options = options;
  }

  /** Keeps a new version of the group's plan. One that is equal to the newest is that one. Nothing goes to gateways yet. */
  add(groupId: string, { plan: given, note, overwrite }: PlanProposal, who: string) {
    const { groups, store, secrets, own, shapes, clock } = this.#options;
    return groups.act(async () => {
      await groups.find(groupId);
      const [newest] = await store.planVersions(groupId);
      const former = newest === undefined ? null : await this.#plan(groupId, newest.version);
      const plan = await sealPlan(await readPlan(given, shapes), { secrets, former, own });
      const text = JSON.stringify(plan);
      if (newest?.overwrite === overwrite && text === JSON.stringify(former)) {
        return { version: newest.version, isNew: false };
      }
      const version: PlanVersion = {
        groupId,
        version: (newest?.version ?? 0) + 1,
        at: Math.round(clock.now().wallMs),
        who,
        note,
        overwrite,
        records: PLAN_KINDS.reduce((sum, kind) => sum + plan[kind].length, plan.shifts === undefined ? 0 : 1),
      };
      await store.write([{ kind: 'planVersion', version, plan: text, keep: MAX_KEPT_VERSIONS }]);
      return { version: version.version, isNew: true };
    });
  }

  /** The newest first. */
  async list(groupId: string) {
    await this.#options.groups.find(groupId);
    return (await this.#options.store.planVersions(groupId)).map(versionView);
  }

  /** A version with its records, without their secrets. */
  async read(groupId: string, number: number) {
    const stored = await this.#stored(groupId, number);
    const plan = parsePlan(stored.plan);
    const shown = PLAN_KINDS.map((kind) => [kind, plan[kind].map((record) => shownRecord(kind, record))] as const);
    const records = Object.fromEntries(shown.filter(([, list]) => list.length > 0));
    return { ...versionView(stored.version), plan: { ...records, ...(plan.shifts && { shifts: plan.shifts }) } };
  }

  /** `from` 0: an empty plan. */
  async difference(groupId: string, from: number, to: number): Promise<readonly PlanDifference[]> {
    const before = from === 0 ? EMPTY_SEALED : await this.#plan(groupId, from);
    return planDifference(before, await this.#plan(groupId, to));
  }

  /** Its gateways say what this version would change there; null: they forget that. */
  preview(groupId: string, version: number | null): Promise<void> {
    return this.#options.groups.change(groupId, async (group) => {
      if (version !== null) await this.#stored(groupId, version);
      return { ...group, preview: version };
    });
  }

  /** Its gateways apply this version, each when it asks the next time. Null: nothing new any more; they keep what they have. */
  rollOut(groupId: string, version: number | null): Promise<void> {
    return this.#options.groups.change(groupId, async (group) => {
      if (version !== null) await this.#stored(groupId, version);
      return { ...group, rollOut: version, preview: group.preview === version ? null : group.preview };
    });
  }

  async #stored(groupId: string, version: number) {
    const stored = await this.#options.store.planVersion(groupId, version);
    if (stored === null) throw noSuch('version of this plan', String(version), 'it may be too old to be kept');
    return stored;
  }

  async #plan(groupId: string, version: number): Promise<SealedPlan> {
    return parsePlan((await this.#stored(groupId, version)).plan);
  }
}

/** As `add` wrote it. */
function parsePlan(text: string): SealedPlan {
  return JSON.parse(text) as SealedPlan;
}
