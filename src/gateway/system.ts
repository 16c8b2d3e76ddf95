import { statfs } from 'node:fs/promises';
import type { MeasuredAgent } from '../adapters/central/legacy-agent/open-legacy-agent.ts';
import { isoTimeOrNull } from '../domain/time.ts';
import type { SyncStatusFlow } from '../flows/forward/sync-status-flow.ts';
import type { GatewayVitals } from '../flows/local-api/local-api-ports.ts';
import type { AgentView, Certificate, GatewayAddresses } from '../flows/local-api/system-ports.ts';
import { SystemStatus } from '../flows/local-api/system-status.ts';
import { VERSION } from '../version.ts';
import type { Base } from './gateway-parts.ts';

/** The parts that the view of the system looks at. */
interface SystemParts {
  readonly certificates: () => readonly Certificate[];
  readonly addresses: () => GatewayAddresses | null;
  readonly agent: Pick<MeasuredAgent, 'lastAnswer'>;
  readonly vitals: GatewayVitals;
  readonly deviceInputs: () => number;
  readonly sync: Pick<SyncStatusFlow, 'numbers'>;
}

/** Puts together the view of the condition of the gateway and its surroundings. */
export function openSystemStatus(
  { config, clock, log }: Pick<Base, 'config' | 'clock' | 'log'>,
  { certificates, addresses, agent, vitals, deviceInputs, sync }: SystemParts,
): SystemStatus {
  const { timeZone, shifts } = config.shifts;
  return new SystemStatus({
    gatewayId: config.gatewayId,
    version: VERSION,
    timeZone,
    shifts,
    agentKind: config.legacyAgent.kind,
    agent: () => agentView(agent),
    certificates,
    addresses,
    store: vitals.store,
    broker: vitals.broker,
    deviceInputs,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(config.dataDir);
      return bavail * bsize;
    },
    sync,
    clock,
    log,
  });
}

function agentView({ lastAnswer }: Pick<MeasuredAgent, 'lastAnswer'>): AgentView {
  return { lastAnswerAt: isoTimeOrNull(lastAnswer?.at ?? null), answeredInMs: lastAnswer?.tookMs ?? null };
}
