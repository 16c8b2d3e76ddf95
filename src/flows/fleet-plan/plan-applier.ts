import { CodedError, faultText } from '../../domain/error.ts';
import { ofEachPlanKind, type PlanKind } from '../../domain/fleet/plan/fleet-plan.ts';
import type { PlanDifference } from '../../domain/fleet/plan/plan-difference.ts';
import {
  MAX_FAULT_LENGTH,
  MAX_TOLD_FAULTS,
  MAX_TOLD_RECORDS,
  type PlanDeviation,
  type PlanPreview,
} from '../../domain/fleet/plan/plan-report.ts';
import { EMPTY_PLANT } from '../../domain/plant/plant-entry.ts';
import { inSlices } from '../../runtime/slice.ts';
import type { Plant } from '../plant/plant.ts';
import type { PlantDifference } from '../plant/plant-difference.ts';
import type { FollowedPlan } from './ask-for-plan.ts';
import { type PlanMemory, type PlanWork, planWork } from './plan-work.ts';

type Work = { readonly work: PlanWork; readonly difference: PlantDifference };

/** What has become of a plan here. */
export type PlanOutcome =
  | { readonly kind: 'applied'; readonly memory: PlanMemory; readonly changes: readonly PlanDifference[] }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

/** Applies plans of the central server to the plant, by the same rules as a plant file (D-106). */
export class PlanApplier {
  readonly #plant: Pick<Plant, 'applyWork'>;

  constructor(plant: Pick<Plant, 'applyWork'>) {
    this.#plant = plant;
  }

  /** All or nothing. The plant writes the plan's records and the memory of it together. */
  async apply(groupId: string, target: FollowedPlan, memory: PlanMemory | null, at: number): Promise<PlanOutcome> {
    const { version, plan } = target;
    const memoryOf = ({ brought }: PlanWork): PlanMemory => ({ groupId, version, at, plan, brought });
    try {
      refuseFaults(target);
      const done = await this.#plant.applyWork(
        (state) => inSlices(planWork(state, memory, target)),
        (work) => [{ kind: 'appliedPlan', json: JSON.stringify(memoryOf(work)) }],
      );
      return { kind: 'applied', memory: memoryOf(done.work), changes: changesOf(done) };
    } catch (error) {
      return { kind: 'refused', faults: faultsIn(error) };
    }
  }

  async preview(target: FollowedPlan, memory: PlanMemory | null): Promise<PlanPreview> {
    const { version } = target;
    try {
      refuseFaults(target);
      const found = await this.#plant.applyWork((state) => inSlices(planWork(state, memory, target)), null);
      const changes = changesOf(found);
      return { version, faults: [], changeCount: changes.length, changes: changes.slice(0, MAX_TOLD_RECORDS) };
    } catch (error) {
      return { version, faults: faultsIn(error), changeCount: 0, changes: [] };
    }
  }

  /** The records that are not as the plan that was applied says. */
  async deviations(memory: PlanMemory): Promise<readonly PlanDeviation[]> {
    let deviations: readonly PlanDeviation[] = [];
    await this.#plant.applyWork(async (state) => {
      ({ deviations } = await inSlices(planWork(state, memory, { plan: memory.plan, overwrite: false })));
      return { file: EMPTY_PLANT, gone: [] };
    }, null);
    return deviations;
  }
}

function refuseFaults({ faults }: FollowedPlan): void {
  if (faults.length > 0) throw new CodedError('invalid-input', 'the plan has faults', faults);
}

function changesOf({ work, difference }: Work): readonly PlanDifference[] {
  return [
    ...difference.flatMap(({ kind, ...rest }) => (isPlanKind(kind) ? [{ kind, ...rest }] : [])),
    ...work.gone.map((name) => ({ ...name, change: 'remove' as const, fields: [] })),
  ];
}

/** The reasons of a refusal. Throws on any other error. */
function faultsIn(error: unknown): readonly string[] {
  if (!(error instanceof CodedError) || error.code !== 'invalid-input') throw error;
  return error.faults.slice(0, MAX_TOLD_FAULTS).map((fault) => faultText(fault).slice(0, MAX_FAULT_LENGTH));
}

const KINDS = ofEachPlanKind((kind) => kind);

function isPlanKind(kind: string): kind is PlanKind {
  return kind in KINDS;
}
