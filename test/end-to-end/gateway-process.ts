import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLog } from '../../src/adapters/system/log.ts';
import { MACHINE_TIMEPIECES, SystemClock } from '../../src/adapters/system/system-clock.ts';
import { openCentral } from '../../src/central/open-central.ts';
import { installationIn } from '../../src/cli/commands/service/installation.ts';
import { updatePlaces } from '../../src/cli/commands/update/update-places.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { retentionOf } from '../../src/gateway/plants/plant-store.ts';
import { keepPace } from './pace.ts';

/**
 * Requests of a test to a gateway in a separate process, which `bundle-program.ts` bundles. They are answered one by
 * one.
 */
export type GatewayRequest =
  /** Holds the store thread up, as a stuck disk would. */
  | { readonly kind: 'stallStore'; readonly forMs: number }
  /** Ends the store thread by an uncaught error. */
  | { readonly kind: 'crashStore' }
  /** Sets the wall clock; the monotonic one goes on. */
  | { readonly kind: 'setWallClock'; readonly wallMs: number }
  /** The delay of the event loop since the last such request. */
  | { readonly kind: 'loopDelay' };

export interface GatewayReply {
  readonly wallMs: number;
  readonly loopDelay: { readonly p99Ms: number; readonly maxMs: number };
}

const RESOLUTION_MS = 1;
const NANOSECONDS_PER_MS = 1e6;

const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let wallOffsetMs = 0;
const clock = new SystemClock({ ...MACHINE_TIMEPIECES, wallMs: () => Date.now() + wallOffsetMs });

/** The histogram holds the time between two samples; the sampling interval itself is no delay. */
function takeLoopDelay(): GatewayReply['loopDelay'] {
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS);
  const delay = { p99Ms: delayMs(loop.percentile(99)), maxMs: delayMs(loop.max) };
  loop.reset();
  return delay;
}

async function main(file: string, storeThreadEntry: string): Promise<void> {
  keepPace();
  const { config } = loadConfig({
    file,
    environment: process.env,
    cwd: process.cwd(),
    hostName: hostname(),
    timeZone: 'America/Chicago',
  });
  const log = createLog(config.log.level, process.env, false);
  const { postgres } = config.storage;
  const central =
    postgres === undefined
      ? null
      : await openCentral({ ...postgres, retention: retentionOf(config.storage), log, clock });
  const gateway = await createGateway(config, {
    log,
    ...(central && { central }),
    storeThreadEntry,
    clock,
    ...applyingIn(process.env.APPLYING_ROOT),
  });
  loop.enable();
  process.on('message', (request: GatewayRequest) => {
    if (request.kind === 'stallStore') gateway.testing.stall(request.forMs);
    if (request.kind === 'crashStore') gateway.testing.crash();
    if (request.kind === 'setWallClock') wallOffsetMs = request.wallMs - Date.now();
    process.send?.({ wallMs: Date.now() + wallOffsetMs, loopDelay: takeLoopDelay() } satisfies GatewayReply);
  });
  process.once('SIGTERM', () => void gateway.close().then(() => process.exit(0)));
  log.info(gateway.addresses, 'ready');
  log.flush();
  // A killed process would never leave its cache to the next.
  flushCompileCache();
}

/** The places by which root would install updates, below a directory that stands for the computer. */
function applyingIn(root: string | undefined) {
  if (root === undefined) return {};
  const installation = installationIn(root);
  return { applying: { ...updatePlaces(installation), packagedUnits: installation.packagedUnits } };
}

const [, , file = ''] = process.argv;
void main(file, path.join(import.meta.dirname, 'paced-store-thread.cjs'));
