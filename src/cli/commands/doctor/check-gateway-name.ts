import { gatewayNameFileOf } from '../../../config/computer-defaults.ts';
import type { LoadedConfig } from '../../../config/load-config.ts';
import { otherHostName } from '../../gateway-name.ts';
import { type Finding, warning } from './finding.ts';

/** Tells that the computer got another name since the gateway made its own of it (D-63). */
export function checkGatewayName(loaded: LoadedConfig, hostName: string): readonly Finding[] {
  const other = otherHostName(loaded, hostName);
  if (other === null) return [];
  const { gatewayId, dataDir } = loaded.config;
  const found = `${gatewayId}, and the host name is ${other} now`;
  const remedy = `Write "gatewayId: ${gatewayId}" into plantgate.yaml to keep it. Under another name the central server counts all records a second time; for that remove ${gatewayNameFileOf(dataDir)} and restart.`;
  return [warning('gatewayId', found, remedy)];
}
