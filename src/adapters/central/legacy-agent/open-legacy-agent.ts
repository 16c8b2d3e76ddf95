import type { LegacyAgent } from '../../../flows/warehouse/warehouse-ports.ts';
import type { HttpCentralServerOptions } from '../http-central-server.ts';
import type { HttpAgentOptions } from './http-agent.ts';
import { noAgent } from './no-agent.ts';
import { SimulatedAgent, type SimulatedAgentOptions } from './simulated-agent.ts';

export type LegacyAgentSettings =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'http' } & HttpAgentOptions)
  | ({ readonly kind: 'upstream' } & HttpCentralServerOptions)
  | ({ readonly kind: 'simulated' } & SimulatedAgentOptions);

/** Opens the legacy agent of the configured kind (contract.md, Configuration, legacyAgent). */
export async function openLegacyAgent(settings: LegacyAgentSettings): Promise<LegacyAgent> {
  switch (settings.kind) {
    case 'none':
      return noAgent;
    case 'simulated':
      return new SimulatedAgent(settings);
    case 'http': {
      // The module takes a tenth of a second to load; a start without it need not wait.
      const { HttpAgent } = await import('./http-agent.ts');
      return new HttpAgent(settings);
    }
    case 'upstream': {
      const { UpstreamAgent } = await import('./upstream-agent.ts');
      return new UpstreamAgent(settings);
    }
  }
}
