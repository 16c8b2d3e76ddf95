import { hostname } from 'node:os';
import type { EarlyThread } from '../../adapters/store/client/store-thread.ts';
import { createLog } from '../../adapters/system/log.ts';
import { SystemClock } from '../../adapters/system/system-clock.ts';
import { openWatch } from '../../adapters/system/watch/watch.ts';
import { tlsFaults } from '../../config/check-tls.ts';
import { isEveryAddress } from '../../config/config-rules.ts';
import type { Config } from '../../config/config-schema.ts';
import { type ConfigRequest, type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { ConfigError } from '../../config/located-fault.ts';
import type { Fault } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { GatewayAddresses } from '../../flows/local-api/system-ports.ts';
import type { LeveledLog, Log } from '../../flows/ports.ts';
import { createGateway } from '../../gateway/gateway.ts';
import type { GatewayOverrides } from '../../gateway/gateway-parts.ts';
import { retentionOf } from '../../gateway/plants/plant-store.ts';
import { keepFetchUnloaded, tuneEngine } from '../../runtime/tune-engine.ts';
import { VERSION } from '../../version.ts';
import { type CommandIo, EXIT } from '../command-io.ts';
import { exitCodeOf } from '../exit-code-of.ts';
import { keepGatewayName } from '../gateway-name.ts';
import { printFaults } from '../load-config-or-exit-code.ts';
import { reload } from '../reload.ts';
import { howThisRestarts } from './service/how-to-restart.ts';
import { installationOf } from './service/installation.ts';
import { obstacleForRoot } from './service/run-as-root.ts';
import { updatePlaces } from './update/update-places.ts';

/** A gateway beside machines, or the central server of others. */
export type Role = 'gateway' | 'central';

export interface RunOptions {
  readonly role: Role;
  readonly request: ConfigRequest;
  readonly storeThreadEntry: URL | string;
  readonly earlyThread: EarlyThread;
  readonly watchThreadEntry?: URL | string;
}

/** The end waits for the close at most this long (contract.md: exit within 5 s). */
const MAX_CLOSE_MS = 4_700;

/** `plantgate run`: serves until it is stopped. Gives the exit code. */
export async function runGateway(options: RunOptions, io: CommandIo): Promise<number> {
  const loaded = loadChecked(options, io);
  if (typeof loaded !== 'number') return runWith(loaded, options, io);
  await options.earlyThread.discard();
  return loaded;
}

/**
 * A file that the service may not read also ends the program with 78, because systemd restarts it after any other code.
 */
function loadChecked({ request, role }: RunOptions, io: CommandIo): LoadedConfig | number {
  try {
    const loaded = loadConfig(request);
    const faults = loaded.locate([...tlsFaults(loaded.config), ...roleFaults(loaded.config, role)]);
    if (faults.length > 0) throw new ConfigError(faults);
    const obstacle = obstacleForRoot(loaded.config.dataDir, installationOf(loaded.config.dataDir));
    if (obstacle === null) return loaded;
    io.stderr(obstacle);
    return EXIT.notPermitted;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return printFaults(error, io);
  }
}

function roleFaults({ upstream, storage }: Config, role: Role): readonly Fault[] {
  if (role === 'gateway') {
    if (storage.postgres === undefined) return [];
    const expected = 'nothing: only "plantgate central" keeps records in PostgreSQL';
    return [{ path: 'storage.postgres', found: 'a database', expected }];
  }
  if (upstream === undefined) return [];
  return [{ path: 'upstream', found: 'a central server', expected: 'nothing: "plantgate central" is one itself' }];
}

async function runWith(
  loaded: LoadedConfig,
  { role, request, storeThreadEntry, earlyThread, watchThreadEntry }: RunOptions,
  io: CommandIo,
): Promise<number> {
  const { config, sources, sections, isMqttGiven } = loaded;
  keepFetchUnloaded();
  const installation = installationOf(sources.file);
  const isTerminal = process.stdout.isTTY === true;
  const log = createLog(config.log.level, io.environment, isTerminal);
  let act: 'start' | 'stop' = 'start';
  try {
    log.info({ version: VERSION, config: sources.file ?? 'built-in defaults', dataDir: config.dataDir }, 'starting');
    tellIgnored(sources.ignoredVariables, log);
    const watch = watchThreadEntry === undefined ? null : openWatch(watchThreadEntry, log);
    const pulse = watch?.storePulse;
    const threads = { storeThreadEntry, earlyThread, ...(pulse && { pulse }) };
    const applying = { ...updatePlaces(installation), packagedUnits: installation.packagedUnits };
    const restart = howThisRestarts(process.env);
    const shared = await centralOf(config, log);
    const ended = endOf(io.signal, shared.central, log);
    const starting = createGateway(config, {
      log,
      ...threads,
      isCentral: role === 'central',
      opensMqtt: role === 'gateway' || isMqttGiven,
      sections,
      restart,
      request,
      applying,
      beforeServing: tuneEngine,
      ...shared,
    });
    // Opening a database may take long. A stop meanwhile does not wait for it.
    const gateway = await Promise.race([starting, ended.promise]);
    if (gateway !== undefined) {
      await keepGatewayName(loaded, request.hostName, log);
      const { addresses, setUpCode } = gateway;
      tellStarted({ config, file: sources.file ?? null, addresses, setUpCode }, isTerminal ? io : null, log);
      io.onHangUp(() => void reload({ request, started: config, gateway, log }));
      watch?.serving();
      await ended.promise;
    }
    act = 'stop';
    log.info({}, 'stopping');
    const closing = starting.then((gateway) => gateway.close());
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, MAX_CLOSE_MS))]);
    log.info({}, 'stopped');
    return ended.exitCode();
  } catch (error) {
    log.error({ error: errorMessage(error) }, `cannot ${act}`);
    return exitCodeOf(error);
  } finally {
    log.flush();
  }
}

/** The shared database of a central server that has one. */
async function centralOf({ storage }: Config, log: LeveledLog): Promise<Pick<GatewayOverrides, 'central' | 'clock'>> {
  const { postgres } = storage;
  if (postgres === undefined) return {};
  const { openCentral } = await import('../../central/open-central.ts');
  const clock = new SystemClock();
  return { clock, central: await openCentral({ ...postgres, retention: retentionOf(storage), log, clock }) };
}

function tellIgnored(variables: readonly string[], log: Log): void {
  if (variables.length === 0) return;
  log.warn(
    { variables },
    'ignored variables that Kubernetes made for a Service: enableServiceLinks: false leaves them out',
  );
}

/** The ready line; at a terminal a banner as well. */
function tellStarted(started: Started, terminal: Pick<CommandIo, 'stdout'> | null, log: Log): void {
  const { config, addresses, setUpCode } = started;
  log.info(readyFields(config, addresses), 'ready');
  // A person has to act, so the code also stands in a log that leaves plain information out.
  if (setUpCode !== null) log.warn({ setUpCode }, 'no person can sign in yet: open the page and enter the set-up code');
  if (terminal !== null) for (const line of startBanner(started)) terminal.stdout(line);
}

function readyFields(config: Config, addresses: GatewayAddresses) {
  const { httpPort, deviceHttpPort, mqttPort, mqttTlsPort } = addresses;
  return {
    http: `${config.http.tls === undefined ? 'http' : 'https'}://${config.http.host}:${httpPort}`,
    ...(mqttPort !== null && { mqtt: `mqtt://${config.mqtt.host}:${mqttPort}` }),
    ...(deviceHttpPort !== null && { deviceHttp: `http://${config.deviceHttp?.host}:${deviceHttpPort}` }),
    ...(mqttTlsPort !== null && { mqtts: `mqtts://${config.mqtt.host}:${mqttTlsPort}` }),
    ...addresses,
    pid: process.pid,
  };
}

/** The end of the run: a stop, or a state from which a node of a central server has to be started again. */
function endOf(signal: AbortSignal, central: GatewayOverrides['central'], log: Log) {
  let exitCode: number = EXIT.done;
  const lost = central?.business.lost.then((reason) => {
    exitCode = EXIT.tryAgain;
    log.error({ reason }, 'this node has to be started again');
  });
  const promise = Promise.race([untilAborted(signal), ...(lost === undefined ? [] : [lost])]);
  return { promise, exitCode: () => exitCode };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

interface Started {
  readonly config: Config;
  /** The configuration file; null for built-in defaults. */
  readonly file: string | null;
  readonly addresses: GatewayAddresses;
  readonly setUpCode: string | null;
}

/** The text for a person at a terminal when the gateway serves: its addresses, and the next steps. */
export function startBanner({ config, file, addresses, setUpCode }: Started): readonly string[] {
  const { httpPort, mqttPort } = addresses;
  const page = `${config.http.tls === undefined ? 'http' : 'https'}://${hostOf(config.http.host)}:${httpPort}`;
  return [
    '',
    `  plantgate ${VERSION} serves. Ctrl-C stops it.`,
    `  the page        ${page}`,
    ...(mqttPort === null ? [] : [`  MQTT            ${hostOf(config.mqtt.host)}, port ${mqttPort}`]),
    `  data            ${shortened(config.dataDir)}`,
    `  configuration   ${file ?? 'built-in defaults (plantgate.yaml would change them)'}`,
    `  next            ${nextStep(page, mqttPort === null, setUpCode)}`,
    '',
  ];
}

function nextStep(page: string, isForGateways: boolean, setUpCode: string | null): string {
  const first = isForGateways ? 'make a key for each gateway ("plantgate key create")' : 'name the first machine';
  if (setUpCode !== null) return `open the page and enter the set-up code ${setUpCode}; then ${first}`;
  return isForGateways ? `${first}, and name this server as its upstream` : `connect a machine: ${page}/docs`;
}

/** A host for an address that a person can click: "every interface" becomes the name of this computer. */
function hostOf(host: string): string {
  return isEveryAddress(host) ? hostname() : host;
}

/** A user of a container may have no home. */
function shortened(directory: string): string {
  const { HOME: home = '' } = process.env;
  return home !== '' && directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
}
