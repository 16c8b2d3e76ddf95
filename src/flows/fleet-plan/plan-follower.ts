import { errorMessage } from '../../domain/error-text.ts';
import { MAX_TOLD_RECORDS, type PlanReport } from '../../domain/fleet/plan/plan-report.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { ForwardLoop } from '../forward/forward-loop.ts';
import type { HealthReporterOptions } from '../forward/health-reporter.ts';
import type { Clock } from '../ports.ts';
import { askForPlan, type FollowedPlan, type FollowedTarget } from './ask-for-plan.ts';
import type { FleetPlanQueries } from './fleet-plan-ports.ts';
import type { PlanApplier, PlanOutcome } from './plan-applier.ts';
import type { PlanMemory } from './plan-work.ts';
import type { SealedShapes } from './read-plan.ts';

export interface PlanFollowerOptions
  extends Pick<HealthReporterOptions, 'server' | 'isConnected' | 'gatewayId' | 'after' | 'log'> {
  readonly store: Pick<FleetPlanQueries, 'appliedPlan'> & HealthReporterOptions['store'];
  readonly applier: PlanApplier;
  readonly shapes: SealedShapes;
  readonly clock: Clock;
  /** A version was applied, or refused for the first time. */
  readonly onOutcome: (version: number, outcome: PlanOutcome) => void;
  /** The update that this gateway is given, whenever something is new. */
  readonly onUpdate: (update: FollowedTarget['update']) => void;
  /** There is something to report at once. */
  readonly onNews: () => void;
}

const LOOK_MS = 1_000;
/** The pause between two questions; an answer without news is an empty 304. */
const ASK_EVERY_MS = 15_000;
/** An older server that knows no plans is not asked again for this long. */
const UNKNOWN_THERE_MS = HOUR_MS;

type Findings = Pick<PlanReport, 'refused' | 'preview' | 'deviations'>;

const NOTHING: Findings = { refused: null, preview: null, deviations: [] };

/**
 * Fetches the plan of this gateway's group from the central server, has it applied, and knows what it has come to (D-106).
 * Without the server, and in no group, everything stays as it is.
 */
export class PlanFollower extends ForwardLoop {
  readonly #options: PlanFollowerOptions;
  #memory: PlanMemory | null = null;
  #isRestored = false;
  #tag: string | null = null;
  #target: FollowedTarget | null = null;
  #findings = NOTHING;
  /** The plant has changed since it was compared with the plan. */
  #isStale = true;

  constructor(options: PlanFollowerOptions) {
    super(options.after);
    this.#options = options;
  }

  plantChanged(): void {
    this.#isStale = true;
  }

  /** For the report of this gateway's condition; null: it is in no group. */
  async report(): Promise<PlanReport | null> {
    await this.#restore();
    const { groupId = null } = this.#target ?? this.#memory ?? {};
    if (groupId === null) return null;
    const memory = this.#memoryOf(groupId);
    const { refused, preview, deviations } = this.#findings;
    return {
      groupId,
      version: memory?.version ?? null,
      appliedForMs: memory === null ? null : Math.max(0, Math.round(this.#options.clock.now().wallMs) - memory.at),
      refused,
      deviationCount: deviations.length,
      deviations: deviations.slice(0, MAX_TOLD_RECORDS),
      preview,
    };
  }

  protected override async turn(): Promise<number> {
    if (!this.#options.isConnected()) return LOOK_MS;
    try {
      return await this.#follow();
    } catch (error) {
      this.#options.log.debug({ error: errorMessage(error) }, 'the plan of the central server was not followed');
      return ASK_EVERY_MS;
    }
  }

  async #follow(): Promise<number> {
    const { store, server, gatewayId, shapes } = this.#options;
    const { stream } = await store.queueTotals('batch');
    if (stream === null) return LOOK_MS;
    await this.#restore();
    const asked = await askForPlan(server, { gatewayId, stream, tag: this.#tag }, shapes);
    if (asked.kind === 'unknown') return UNKNOWN_THERE_MS;
    if (asked.kind === 'target') {
      this.#target = asked.target;
      this.#tag = asked.tag;
      this.#findings = NOTHING;
      this.#isStale = true;
      this.#options.onUpdate(asked.target.update);
    }
    if (this.#isStale) await this.#compare();
    return ASK_EVERY_MS;
  }

  async #restore(): Promise<void> {
    if (this.#isRestored) return;
    this.#memory = await appliedPlanIn(this.#options.store);
    this.#isRestored = true;
  }

  /** Applies what has to be applied, and looks at the rest. A plan that was refused is tried again when the plant has changed. */
  async #compare(): Promise<void> {
    const before = JSON.stringify([this.#memory?.version, this.#findings]);
    this.#isStale = false;
    try {
      await this.#look();
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
    if (JSON.stringify([this.#memory?.version, this.#findings]) !== before) this.#options.onNews();
  }

  async #look(): Promise<void> {
    const { applier } = this.#options;
    const { groupId = null, rollOut = null, preview = null } = this.#target ?? {};
    const isNew = groupId !== null && rollOut !== null && this.#memoryOf(groupId)?.version !== rollOut.version;
    const refused = isNew ? await this.#apply(groupId, rollOut) : null;
    const memory = groupId === null ? null : this.#memoryOf(groupId);
    this.#findings = {
      refused,
      deviations: memory === null ? [] : await applier.deviations(memory),
      preview: preview === null ? null : await applier.preview(preview, this.#memory),
    };
  }

  /** The refusal, or null. */
  async #apply(groupId: string, target: FollowedPlan): Promise<PlanReport['refused']> {
    const { applier, clock, onOutcome } = this.#options;
    const { version } = target;
    const outcome = await applier.apply(groupId, target, this.#memory, Math.round(clock.now().wallMs));
    const wasRefused = this.#findings.refused?.version === version;
    if (outcome.kind === 'applied' || !wasRefused) onOutcome(version, outcome);
    if (outcome.kind === 'refused') return { version, faults: outcome.faults };
    this.#memory = outcome.memory;
    return null;
  }

  #memoryOf(groupId: string): PlanMemory | null {
    return this.#memory?.groupId === groupId ? this.#memory : null;
  }
}

/** The plan that this gateway has applied last; null: none. */
export async function appliedPlanIn(store: Pick<FleetPlanQueries, 'appliedPlan'>): Promise<PlanMemory | null> {
  const text = await store.appliedPlan();
  // As the applier wrote it.
  return text === null ? null : (JSON.parse(text) as PlanMemory);
}
