import { statfs } from 'node:fs/promises';
import type { Config } from '../config/config-schema.ts';
import type { SyncStatusFlow } from '../flows/forward/sync-status.ts';
import type { GatewayVitals } from '../flows/local-api/local-api-ports.ts';
import { isoTimeOrNull } from '../flows/local-api/machine-view.ts';
import type { AgentView, Certificate, GatewayAddresses } from '../flows/local-api/system-ports.ts';
import { SystemStatus } from '../flows/local-api/system-status.ts';
import type { Clock, Log } from '../flows/ports.ts';
import type { MeasuredAgent } from '../flows/warehouse/measured-agent.ts';
import { VERSION } from '../version.ts';

export interface SystemBase {
  readonly config: Pick<Config, 'gatewayId' | 'dataDir' | 'shifts'> & {
    readonly legacyAgent: { readonly kind: string };
  };
  readonly certificates: () => readonly Certificate[];
  readonly addresses: () => GatewayAddresses | null;
  readonly agent: Pick<MeasuredAgent, 'lastAnswer'>;
  readonly vitals: GatewayVitals;
  readonly deviceInputs: () => number;
  readonly sync: Pick<SyncStatusFlow, 'numbers'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Puts together the view of the condition of the gateway and its surroundings. */
export function openSystemStatus({ config, agent, vitals, ...base }: SystemBase): SystemStatus {
  return new SystemStatus({
    ...base,
    gatewayId: config.gatewayId,
    version: VERSION,
    ...config.shifts,
    agentKind: config.legacyAgent.kind,
    agent: () => agentView(agent),
    store: () => vitals.store(),
    broker: () => vitals.broker(),
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(config.dataDir);
      return bavail * bsize;
    },
  });
}

function agentView({ lastAnswer }: Pick<MeasuredAgent, 'lastAnswer'>): AgentView {
  return { lastAnswerAt: isoTimeOrNull(lastAnswer?.at ?? null), answeredInMs: lastAnswer?.tookMs ?? null };
}
