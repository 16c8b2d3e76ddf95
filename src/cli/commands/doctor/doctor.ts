import { randomUUID } from 'node:crypto';
import { connectAsync } from 'mqtt';
import { addressesOf } from '../../../adapters/discovery/ask-network.ts';
import { MDNS_PORT } from '../../../adapters/discovery/mdns-message.ts';
import { ownNetworks } from '../../../adapters/discovery/own-networks.ts';
import { gatewayNameFileOf } from '../../../config/computer-defaults.ts';
import { isEveryAddress } from '../../../config/config-rules.ts';
import type { Config } from '../../../config/config-schema.ts';
import { type ConfigRequest, type LoadedConfig, loadedOrNull } from '../../../config/load-config.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { type CommandIo, EXIT, WITH_SUDO } from '../../command-io.ts';
import { otherHostName } from '../../gateway-name.ts';
import { alignedLines, printable } from '../../terminal-text.ts';
import { runCheck } from '../check.ts';
import { installationOf } from '../service/installation.ts';
import { askProgram } from './ask-program.ts';
import { checkAuthorities, checkCertificates } from './check-certificates.ts';
import { checkAddonCache, checkBackups, checkDataDir } from './check-directories.ts';
import { checkPorts } from './check-ports.ts';
import { checkAgent, checkDatabase, checkUpstream } from './check-servers.ts';
import { checkApplyPath, checkService, checkServiceAccess } from './check-service.ts';
import { type Finding, fault, ok, warning } from './finding.ts';
import { checkGateway, type RunningGateway } from './running-gateway.ts';

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
  const installation = installationOf(sources.file);
  const checks: readonly Promise<Finding | readonly Finding[]>[] = [
    ...checkPorts(loaded, gateway),
    checkBroker(config, gateway.running, TIMEOUT_MS),
    checkDataDir(config),
    checkBackups(config, now, installation.service),
    checkAddonCache(environment),
    checkDiscovery(config, gateway.running),
    checkClock(now, TIMEOUT_MS),
    ...checkCertificates(config, gateway.running, now),
    checkAuthorities(config, now),
    checkUpstream(config, TIMEOUT_MS),
    checkDatabase(config, TIMEOUT_MS),
    checkAgent(config, TIMEOUT_MS),
    checkService(installation, TIMEOUT_MS),
    checkApplyPath(installation, TIMEOUT_MS),
    checkServiceAccess(config, sources.file, installation),
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

/** Checks the configuration and the plant file like `plantgate check`: a finding for each line that it writes. */
function checkFiles(request: ConfigRequest): readonly Finding[] {
  const lines: string[] = [];
  const exitCode = runCheck({ ...request, write: (text) => lines.push(text.trimEnd()) });
  if (exitCode === EXIT.done) return lines.map((line) => ok('configuration', line));
  if (exitCode === EXIT.notPermitted) return lines.slice(0, -1).map((line) => fault('permission', line, WITH_SUDO));
  return lines.slice(0, -1).map((line) => fault('configuration', line, 'Correct it, then run "plantgate check".'));
}

/** Tells that the computer got another name since the gateway made its own of it (D-63). */
function checkGatewayName(loaded: LoadedConfig, hostName: string): readonly Finding[] {
  const other = otherHostName(loaded, hostName);
  if (other === null) return [];
  const { gatewayId, dataDir } = loaded.config;
  const found = `${gatewayId}, and the host name is ${other} now`;
  const remedy = `Write "gatewayId: ${gatewayId}" into plantgate.yaml to keep it. Under another name the central server counts all records a second time; for that remove ${gatewayNameFileOf(dataDir)} and restart.`;
  return [warning('gatewayId', found, remedy)];
}

/** CONNACK: identifier rejected, bad user name or password, not authorized (MQTT 3.1.1, 3.2.2.3). */
const REFUSALS: readonly unknown[] = [2, 4, 5];

/** Connects to the broker of the running gateway like an MQTT client. */
async function checkBroker({ mqtt }: Config, running: RunningGateway | null, timeoutMs: number): Promise<Finding> {
  const port = running?.addresses.mqttPort ?? null;
  if (running !== null && port === null) return ok('broker', 'not asked, as no MQTT is opened');
  if (port === null) return ok('broker', 'not asked, as no running gateway says where it listens');
  const host = isEveryAddress(mqtt.host) ? '127.0.0.1' : mqtt.host;
  const options = { host, port, clientId: `plantgate-doctor-${randomUUID()}`, reconnectPeriod: 0 };
  try {
    const client = await connectAsync({ ...options, connectTimeout: timeoutMs });
    await client.endAsync(true);
    return ok('broker', `an MQTT client is accepted on ${port}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && REFUSALS.includes(error.code)) {
      return ok('broker', `answers on ${port}, and refuses unknown clients as mqtt.access says`);
    }
    const found = `no MQTT client is accepted on ${host}:${port}: ${errorMessage(error)}`;
    return fault('broker', found, 'Look into the log of the gateway; restart it if nothing is said there.');
  }
}

const WAIT_MS = 1_500;

/** Asks the network for the name of this gateway, as another computer would. */
export async function checkDiscovery(
  { discovery: { enabled, name }, http, mqtt }: Config,
  running: RunningGateway | null,
): Promise<Finding> {
  const check = 'discovery';
  const fullName = `${name}.local`;
  if (!enabled) return ok(check, 'switched off by discovery.enabled');
  if (running === null) return ok(check, `not asked, as no gateway runs that would answer for ${fullName}`);
  const hosts = [http.host, ...(running.addresses.mqttPort === null ? [] : [mqtt.host])];
  if (hosts.every((host) => host.startsWith('127.'))) return ok(check, 'nothing listens on a network');
  const networks = ownNetworks(false);
  const remedy = `Let UDP port ${MDNS_PORT} pass the firewall, or switch it off with discovery.enabled: false. Addresses work without it.`;
  try {
    const found = await addressesOf(fullName, { port: MDNS_PORT, networks, timeoutMs: WAIT_MS });
    if (found.length === 0) return warning(check, `no computer answers for ${fullName}`, remedy);
    const others = found.filter((address) => !networks.some((network) => network.address === address));
    if (others.length === 0) return ok(check, `${fullName} is ${found.join(', ')}`);
    const renaming = `The log of this gateway says by which name it is found. Set discovery.name to one that is free.`;
    return warning(check, `${fullName} is another computer as well: ${others.join(', ')}`, renaming);
  } catch (error) {
    return warning(check, `the network cannot be asked for ${fullName}: ${errorMessage(error)}`, remedy);
  }
}

/** Earlier than any release of this program. */
const EARLIEST_YEAR = 2026;
const LATEST_YEAR = 2099;
/** systemd-timesyncd touches it whenever a server has answered. */
const SYNCHRONIZED_FILE = '/run/systemd/timesync/synchronized';

/** Checks whether the clock can be right, and whether a time service keeps it right. */
async function checkClock(now: Date, timeoutMs: number): Promise<readonly Finding[]> {
  return [yearFinding(now), await synchronizationFinding(timeoutMs)];
}

function yearFinding(now: Date): Finding {
  const year = now.getUTCFullYear();
  if (year >= EARLIEST_YEAR && year <= LATEST_YEAR) return ok('clock', now.toISOString());
  return fault(
    'clock',
    `the year is ${year}`,
    'Set it with "timedatectl set-time", and replace the battery if it is empty.',
  );
}

async function synchronizationFinding(timeoutMs: number): Promise<Finding> {
  const check = 'clock synchronization';
  const answer = await askProgram('timedatectl', ['show', '--property=NTPSynchronized', '--value'], timeoutMs);
  const isSynchronized = answer?.trim() === 'yes' || (await statOrNull(SYNCHRONIZED_FILE)) !== null;
  if (isSynchronized) return ok(check, 'the clock follows a time server');
  const found =
    answer === null ? 'it is not known whether the clock follows a time server' : 'no time server is followed';
  return warning(check, found, 'Run systemd-timesyncd or chrony with a time server of the plant.');
}
