import { type ConfigRequest, loadedOrNull } from '../../../config/load-config.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { alignedLines, printable } from '../../terminal-text.ts';
import { installationIn } from '../service/installation.ts';
import { checkAddonCache } from './check-addon-cache.ts';
import { checkBackups } from './check-backups.ts';
import { checkBroker } from './check-broker.ts';
import { checkAuthorities, checkCertificates } from './check-certificates.ts';
import { checkClock } from './check-clock.ts';
import { checkDataDir } from './check-data-dir.ts';
import { checkDiscovery } from './check-discovery.ts';
import { checkFiles } from './check-files.ts';
import { checkGatewayName } from './check-gateway-name.ts';
import { checkPorts } from './check-ports.ts';
import { checkAgent, checkUpstream } from './check-servers.ts';
import { checkApplyPath, checkService } from './check-service.ts';
import { checkServiceAccess } from './check-service-access.ts';
import { type Finding, warning } from './finding.ts';
import { checkGateway } from './running-gateway.ts';

/** The time limit of each question to another program or server; all are asked at the same time. */
const TIMEOUT_MS = 5_000;

export interface DoctorOptions {
  readonly request: ConfigRequest;
  readonly json: boolean;
}

/**
 * `plantgate doctor`: checks all surroundings of the gateway, changes nothing, and gives advice for each finding. Gives
 * the exit code: 77 if this user may not read the configuration, 78 if it is bad, 69 for any other fault.
 */
export async function runDoctor({ request, json }: DoctorOptions, io: CommandIo): Promise<number> {
  const findings = await examine(request, io.environment);
  if (json) io.stdout(JSON.stringify({ findings }, null, 2));
  else for (const line of report(findings)) io.stdout(line);
  const faults = findings.filter(({ state }) => state === 'fault');
  const isFaulty = (check: string) => faults.some((one) => one.check === check);
  if (isFaulty('permission')) return EXIT.notPermitted;
  if (isFaulty('configuration')) return EXIT.badConfiguration;
  return faults.length > 0 ? EXIT.unavailable : EXIT.done;
}

/** All findings, in the order in which people read them. */
export async function examine(
  request: ConfigRequest,
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<readonly Finding[]> {
  const files = checkFiles(request);
  const loaded = loadedOrNull(request);
  if (loaded === null) return files;
  const { config, sources } = loaded;
  const now = new Date();
  const gateway = await checkGateway(config, TIMEOUT_MS);
  const checks: readonly Promise<Finding | readonly Finding[]>[] = [
    ...checkPorts(config, gateway),
    checkBroker(config, gateway.running, TIMEOUT_MS),
    checkDataDir(config),
    checkBackups(config, now),
    checkAddonCache(environment),
    checkDiscovery(config, gateway.running),
    checkClock(now, TIMEOUT_MS),
    ...checkCertificates(config, gateway.running, now),
    checkAuthorities(config, now),
    checkUpstream(config, TIMEOUT_MS),
    checkAgent(config, TIMEOUT_MS),
    checkService(TIMEOUT_MS),
    checkApplyPath(TIMEOUT_MS),
    checkServiceAccess(config, sources.file, installationIn('/')),
  ];
  const found = await Promise.all(checks.map((check) => check.catch(notChecked)));
  return [...files, ...gateway.findings, ...checkGatewayName(loaded, request.hostName), ...found.flat()];
}

function notChecked(error: unknown): Finding {
  return warning('doctor', `a check could not be made: ${errorMessage(error)}`, 'Run this as root.');
}

function report(findings: readonly Finding[]): readonly string[] {
  const lines = alignedLines(findings.map(({ state, check, found }) => [state, check, found]));
  const advised = findings.flatMap((finding, place) => {
    const line = lines[place] ?? '';
    return finding.state === 'ok' ? [line] : [line, `         → ${printable(finding.remedy)}`];
  });
  const count = (state: Finding['state']) => {
    const found = findings.filter((finding) => finding.state === state).length;
    return `${found} ${state}${found === 1 ? '' : 's'}`;
  };
  return [...advised, `${findings.length} findings: ${count('fault')}, ${count('warning')}`];
}
