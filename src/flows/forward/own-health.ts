import { type GatewayHealth, MAX_NEEDS, type MachineNeed, NEEDS } from '../../domain/fleet/gateway-health.ts';
import type { PlanReport } from '../../domain/fleet/plan/plan-report.ts';
import type { UpdateReport } from '../../domain/fleet/update/update-report.ts';
import { type SlicedWork, visit } from '../../domain/sliced-work.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { inSlices } from '../../runtime/slice.ts';
import { needsOf } from '../alert/machine-facts.ts';
import type { Backups } from '../backup/backups.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { Certificate } from '../local-api/system-ports.ts';
import { Polled } from '../polled.ts';
import type { Clock } from '../ports.ts';
import type { SyncStatusFlow } from './sync-status-flow.ts';

export interface OwnHealthOptions {
  readonly version: string;
  readonly timeZone: string;
  readonly registry: Pick<MachineRegistry, 'all'>;
  readonly sync: Pick<SyncStatusFlow, 'numbers'>;
  readonly openAlerts: () => number;
  /** The limit of the rule about the disk. */
  readonly leastPercent: () => number;
  readonly backups: Pick<Backups, 'list'>;
  readonly certificates: () => readonly Certificate[];
  /** Rejects if the disk gives no answer. */
  readonly diskFreePercent: () => Promise<number>;
  /** The plan of this gateway's group. */
  readonly plan: () => Promise<PlanReport | null>;
  readonly update: () => Promise<UpdateReport | undefined>;
  readonly clock: Clock;
}

const DISK_EVERY_MS = 10_000;
const BACKUPS_EVERY_MS = MINUTE_MS;

/** The condition of this gateway, for its central server. A slow disk is not waited for: its answer counts the next time. */
export class OwnHealth {
  readonly #options: OwnHealthOptions;
  readonly #freePercent: Polled<number>;
  /** When the newest backup was taken; minus infinity without one. */
  readonly #backupTakenAt: Polled<number>;

  constructor(options: OwnHealthOptions) {
    this.#options = options;
    // A fault is told as "not known".
    const polled = (everyMs: number, ask: () => Promise<number>) => new Polled(everyMs, ask, () => undefined);
    this.#freePercent = polled(DISK_EVERY_MS, options.diskFreePercent);
    this.#backupTakenAt = polled(BACKUPS_EVERY_MS, async () => {
      const taken = (await options.backups.list()).map(({ takenAt }) => Date.parse(takenAt));
      return Math.max(Number.NEGATIVE_INFINITY, ...taken);
    });
  }

  async read(): Promise<Omit<GatewayHealth, 'exchange'>> {
    const { version, timeZone, registry, sync, openAlerts, leastPercent, certificates, clock } = this.#options;
    const { depth, oldestAgeSeconds, setAside } = await sync.numbers();
    const { monotonicMs, wallMs } = clock.now();
    const { machines, needs } = await inSlices(needsIn(registry.all(), wallMs));
    const freePercent = this.#freePercent.at(monotonicMs);
    const takenAt = this.#backupTakenAt.at(monotonicMs);
    const update = await this.#options.update();
    const leftMs = certificates().map(({ validUntilMs }) => Math.round(validUntilMs - wallMs));
    return {
      version,
      timeZone,
      machines,
      queue: { records: depth, oldestAgeMs: Math.round(oldestAgeSeconds * 1_000) },
      setAside,
      openAlerts: openAlerts(),
      disk: freePercent === null ? null : { freePercent, leastPercent: leastPercent() },
      backups: takenAt === null ? null : { newestAgeMs: ageOf(takenAt, wallMs) },
      certificateLeftMs: leftMs.length === 0 ? null : Math.min(...leftMs),
      needs,
      plan: await this.#options.plan(),
      ...(update && { update }),
    };
  }
}

function ageOf(takenAt: number, wallMs: number): number | null {
  return Number.isFinite(takenAt) ? Math.max(0, Math.round(wallMs - takenAt)) : null;
}

/** The number of machines, and those that need a person. */
function* needsIn(
  all: ReturnType<MachineRegistry['all']>,
  wallMs: number,
): SlicedWork<Pick<GatewayHealth, 'machines' | 'needs'>> {
  const needs: MachineNeed[] = [];
  let machines = 0;
  yield* visit(all, (live) => {
    machines += 1;
    if (needs.length >= MAX_NEEDS) return;
    const conditions = needsOf(live, wallMs);
    const need = NEEDS.find((one) => conditions[one] !== null);
    if (need === undefined) return;
    const { machineId, name } = live.machine;
    const forMs = conditions[need]?.forMs ?? null;
    needs.push({ machineId, name, need, forMs: forMs === null ? null : Math.max(0, Math.round(forMs)) });
  });
  return { machines, needs };
}
