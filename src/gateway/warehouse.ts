import {
  type LegacyAgentSettings,
  MeasuredAgent,
  openLegacyAgent,
} from '../adapters/central/legacy-agent/open-legacy-agent.ts';
import type { Config } from '../config/config-schema.ts';
import { CodedError } from '../domain/error.ts';
import { coilEntity, taskEntity } from '../domain/sync/operation.ts';
import { DoOnceFlow } from '../flows/do-once-flow.ts';
import { NO_OPERATIONS } from '../flows/forward/operation-queue-flow.ts';
import type { StaleEntities } from '../flows/mirror/stale-entities.ts';
import type { Store } from '../flows/store-ports.ts';
import { lateAct, lateWriteView } from '../flows/warehouse/late-act.ts';
import { LegacyWrites } from '../flows/warehouse/legacy-writes.ts';
import { WarehouseChanges } from '../flows/warehouse/warehouse-changes.ts';
import { type UpstreamJudgement, WarehouseOperationsFlow } from '../flows/warehouse/warehouse-operations-flow.ts';
import type { LateWriteView, LegacyWrite } from '../flows/warehouse/warehouse-ports.ts';
import { WarehouseReadsFlow } from '../flows/warehouse/warehouse-reads-flow.ts';
import { after } from '../runtime/after.ts';
import type { Base } from './gateway-parts.ts';
import type { Upstream } from './upstream.ts';

/** The part of the configuration that the warehouse needs. */
type WarehouseConfig = Pick<Config, 'legacyAgent' | 'upstream'>;

interface WarehouseParts extends Pick<Upstream, 'operations' | 'drained'> {
  /** Takes the writes that the central server refused (D-18). */
  readonly stale: StaleEntities;
}

export interface Warehouse {
  readonly reads: WarehouseReadsFlow;
  readonly operations: WarehouseOperationsFlow;
  readonly changes: WarehouseChanges;
  readonly legacyWrites: LegacyWrites;
  /** The writes whose outcome is unknown, the oldest first. */
  readonly lateWrites: () => readonly LateWriteView[];
  readonly requests: DoOnceFlow;
  readonly agent: Pick<MeasuredAgent, 'lastAnswer'>;
  /** Leaves unconfirmed writes to the next start. */
  close(): Promise<void>;
}

/** Puts the warehouse together, and begins to settle the writes that the last stop left unconfirmed (D-16). */
export async function openWarehouse(
  {
    config,
    store,
    plant,
    clock,
    newId,
    incidents,
    log,
    audit,
    central,
  }: Pick<Base, 'store' | 'plant' | 'clock' | 'newId' | 'incidents' | 'log' | 'audit' | 'central'> & {
    readonly config: WarehouseConfig;
  },
  { operations, drained, stale }: WarehouseParts,
): Promise<Warehouse> {
  const { legacyAgent } = config;
  const agent = new MeasuredAgent(await openLegacyAgent(agentSettings(config, store)), clock);
  const changes = new WarehouseChanges({ store, log });
  const legacyWrites = new LegacyWrites({
    agent,
    store,
    clock,
    newId,
    incidents,
    // If the agent is the central server, the server knows the operation already (UP-04).
    operations: legacyAgent.kind === 'upstream' ? NO_OPERATIONS : operations,
    random: Math.random,
    after,
    nodes: central?.business ?? null,
    onLate: (write) => changes.lateWrite(lateWriteView(write, 'unknown')),
    onSettled: (write, verdict, isLate) => {
      if (verdict.kind === 'applied') announce(write, changes);
      const isRefusedThere = verdict.kind === 'rejected' && legacyAgent.kind === 'upstream';
      if (isRefusedThere) for (const entity of entitiesOf(write)) stale.note(entity);
      // An act that was answered with its outcome is noted with its request.
      if (!isLate) return;
      changes.lateWrite(lateWriteView(write, verdict.kind));
      audit.note(lateAct(write, verdict));
    },
  });
  legacyWrites.restore(await store.openLegacyWrites());
  store.onHealth(({ state }) => state === 'ok' && legacyWrites.recordNow());
  const onTaskChanged = (taskId: string) => changes.taskChanged(taskId);
  return {
    reads: new WarehouseReadsFlow({ plant, store }),
    operations: new WarehouseOperationsFlow({
      store,
      plant,
      legacyWrites,
      clock,
      onTaskChanged,
      onCoilChanged: (coilId) => changes.coilChanged(coilId),
      upstream: judgement(config, drained),
      operations,
    }),
    changes,
    legacyWrites,
    lateWrites: () => legacyWrites.late().map((write) => lateWriteView(write, 'unknown')),
    agent,
    requests: new DoOnceFlow({
      store,
      requireSettledRequest: (request) => legacyWrites.requireSettledRequest(request),
    }),
    close: () => {
      legacyWrites.stop();
      return agent.close();
    },
  };
}

function announce({ coilId, purpose }: LegacyWrite, changes: WarehouseChanges): void {
  changes.coilChanged(coilId);
  if (purpose.type !== 'move') changes.taskChanged(purpose.taskId);
}

function entitiesOf({ coilId, purpose }: LegacyWrite): readonly string[] {
  const coil = coilEntity(coilId);
  return purpose.type === 'move' ? [coil] : [taskEntity(purpose.taskId), coil];
}

function judgement({ legacyAgent, upstream }: WarehouseConfig, drained: Upstream['drained']): UpstreamJudgement | null {
  if (upstream === undefined) return null;
  const { enforceSourceStates: enforcesSourceStates } = upstream;
  return { enforcesSourceStates, drained: legacyAgent.kind === 'upstream' ? drained : null };
}

function agentSettings({ legacyAgent, upstream }: WarehouseConfig, store: Store): LegacyAgentSettings {
  const { kind, url, timeoutSeconds } = legacyAgent;
  if (kind === 'simulated') return { kind, store, random: Math.random };
  if (kind === 'http' && url !== undefined) return { kind, url, timeoutMs: timeoutSeconds * 1_000 };
  if (kind === 'upstream' && upstream !== undefined) {
    return { kind, url: upstream.url, apiKey: upstream.apiKey, timeoutMs: upstream.timeoutSeconds * 1_000 };
  }
  if (kind === 'none') return { kind };
  throw new CodedError('invalid-input', `legacyAgent: found ${kind} ${url ?? 'without a URL'}, expected another kind`);
}
