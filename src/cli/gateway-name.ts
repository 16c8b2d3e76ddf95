import { writeOwnerOnly } from '../adapters/system/owner-only-file.ts';
import { gatewayNameFileOf } from '../config/computer-defaults.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { errorMessage } from '../domain/error-text.ts';
import type { Log } from '../flows/ports.ts';

/** The host name that the gateway does not follow, because it keeps the name from its first start; else null (D-63). */
export function otherHostName({ config, gatewayName }: LoadedConfig, hostName: string): string | null {
  return gatewayName === 'kept' && config.gatewayId !== hostName ? hostName : null;
}

/** Keeps the name that was made from the host name, or tells that the host name is another one now (D-63). */
export async function keepGatewayName(loaded: LoadedConfig, hostName: string, log: Log): Promise<void> {
  const { gatewayId, dataDir } = loaded.config;
  if (otherHostName(loaded, hostName) !== null) {
    const file = gatewayNameFileOf(dataDir);
    log.warn({ gatewayId, hostName, file }, 'the host name is another one now, and the gateway keeps its gatewayId');
  }
  if (loaded.gatewayName !== 'hostName') return;
  try {
    await writeOwnerOnly(gatewayNameFileOf(dataDir), `${gatewayId}\n`);
  } catch (error) {
    log.warn({ gatewayId, error: errorMessage(error) }, 'gatewayId is not kept: another host name would change it');
  }
}
