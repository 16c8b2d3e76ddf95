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
import type { ShiftsOfPlan } from './shifts-of-plan.ts';

type Work = { readonly work: PlanWork; readonly difference: PlantDifference };

/** What has become of a plan here. */
export type PlanOutcome =
  | { readonly kind: 'applied'; readonly memory: PlanMemory; readonly changes: readonly PlanDifference[] }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

/** Applies plans of the central server to the plant, by the same rules as a plant file (D-106). */
export class PlanApplier {
  readonly #plant: Pick<Plant, 'applyWork'>;
  readonly #shifts: ShiftsOfPlan;

  constructor(plant: Pick<Plant, 'applyWork'>, shifts: ShiftsOfPlan) {
    this.#plant = plant;
    this.#shifts = shifts;
  }

  /**
   * All or nothing. The plant writes the plan's records and the memory of it together. Shifts are chosen before, once the
   * records were tried: after a power cut in between, the plan is applied again and finds them as it says.
   */
  async apply(groupId: string, target: FollowedPlan, memory: PlanMemory | null, at: number): Promise<PlanOutcome> {
    const { version, plan } = target;
    const memoryOf = ({ brought }: PlanWork): PlanMemory => ({ groupId, version, at, plan, brought });
    try {
      const shifts = this.#shiftsIn(target, memory);
      if (shifts.chosen !== null) await this.#try(target, memory);
      const takeBack = await this.#shifts.choose(shifts);
      const write = this.#plant.applyWork(
        (state) => inSlices(planWork(state, memory, target)),
        (work) => [{ kind: 'appliedPlan', json: JSON.stringify(memoryOf(work)) }],
      );
      const done = await write.catch(async (error: unknown) => {
        await takeBack();
        throw error;
      });
      return { kind: 'applied', memory: memoryOf(done.work), changes: [...changesOf(done), ...shifts.changes] };
    } catch (error) {
      return { kind: 'refused', faults: faultsIn(error) };
    }
  }

  async preview(target: FollowedPlan, memory: PlanMemory | null): Promise<PlanPreview> {
    const { version } = target;
    try {
      const shifts = this.#shiftsIn(target, memory);
      const changes = [...changesOf(await this.#try(target, memory)), ...shifts.changes];
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
    return [...deviations, ...this.#shifts.deviations(memory.plan)];
  }

  /** Throws `invalid-input` with the faults of the plan, or of its shifts at this gateway. */
  #shiftsIn({ faults, plan, overwrite }: FollowedPlan, memory: PlanMemory | null) {
    if (faults.length > 0) throw new CodedError('invalid-input', 'the plan has faults', faults);
    const shifts = this.#shifts.work(plan, overwrite, memory);
    if (shifts.faults.length > 0) throw new CodedError('invalid-input', 'its shifts have faults', shifts.faults);
    return shifts;
  }

  /** The same work without writing. Rejects with the refusal. */
  #try(target: FollowedPlan, memory: PlanMemory | null): Promise<Work> {
    return this.#plant.applyWork((state) => inSlices(planWork(state, memory, target)), null);
  }
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
