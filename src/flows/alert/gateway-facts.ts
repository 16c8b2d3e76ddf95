import type { AlertRule } from '../../domain/alert/alert-rule.ts';
import type { DatabaseFault } from '../../domain/alert/alert-words.ts';
import type { Channel } from '../../domain/alert/channel.ts';
import type { GatewayFacts, LateTask, VariableFact } from '../../domain/alert/findings.ts';
import type { FleetFacts } from '../../domain/alert/fleet-findings.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Machine } from '../../domain/plant/plant.ts';
import { MINUTE_MS, type Now } from '../../domain/time.ts';
import { isWarehouseLicensed, type TaskView } from '../../domain/warehouse/task.ts';
import type { Backups } from '../backup/backups.ts';
import type { SyncStatusFlow } from '../forward/sync-status-flow.ts';
import type { Certificate } from '../local-api/system-ports.ts';
import type { Plant } from '../plant/plant.ts';
import { Polled } from '../polled.ts';
import type { Log } from '../ports.ts';
import type { StoreCounters } from '../store-health-ports.ts';
import type { Store } from '../store-ports.ts';
import type { AlertSender } from './alert-sender.ts';

/** The pauses between two looks. Values and tasks cost the store a question; the disk of backups may be slow. */
const VALUES_EVERY_MS = 15_000;
const QUEUE_EVERY_MS = MINUTE_MS;
const BACKUPS_EVERY_MS = 5 * MINUTE_MS;
/** Late tasks that are looked at; a plant with more of them has another trouble. */
const MAX_LATE_TASKS = 100;
/** A value that is older says nothing about now. */
const VALUE_IS_OLD_MS = 5 * MINUTE_MS;

export interface GatewayFactsOptions {
  readonly plant: Pick<Plant, 'machines' | 'machine'>;
  readonly store: Pick<Store, 'taskList' | 'newestPoints'>;
  readonly counters: () => StoreCounters;
  readonly sync: Pick<SyncStatusFlow, 'numbers'>;
  readonly backups: Pick<Backups, 'list'>;
  readonly certificates: () => readonly Certificate[];
  /** Rejects if the disk gives no answer. */
  readonly diskFreePercent: () => Promise<number>;
  readonly rules: () => readonly AlertRule[];
  readonly channels: () => readonly Channel[];
  readonly sender: Pick<AlertSender, 'state'>;
  readonly fleet: () => FleetFacts;
  readonly wallMs: () => number;
  readonly log: Log;
}

/** The facts outside of the machines that the rules look at. Nothing here is waited for: an answer counts at the next look. */
export class GatewayFactsFlow {
  readonly #options: GatewayFactsOptions;
  readonly #lateTasks: Polled<readonly LateTask[]>;
  readonly #variables: Polled<readonly VariableFact[]>;
  readonly #queueOldMs: Polled<number>;
  readonly #diskFreePercent: Polled<number>;
  readonly #backupTakenAt: Polled<number>;
  #jump: { readonly seconds: number; readonly atMs: number } | null = null;

  constructor(options: GatewayFactsOptions) {
    this.#options = options;
    const polled = <T>(everyMs: number, what: string, ask: () => Promise<T>) =>
      new Polled(everyMs, ask, (error) =>
        options.log.debug({ error: errorMessage(error) }, `alerts: ${what} could not be looked at`),
      );
    this.#lateTasks = polled(VALUES_EVERY_MS, 'late tasks', () => this.#findLateTasks());
    this.#variables = polled(VALUES_EVERY_MS, 'variables', () => this.#findVariables());
    this.#queueOldMs = polled(QUEUE_EVERY_MS, 'the queue', async () => {
      const { oldestAgeSeconds, connection } = await options.sync.numbers();
      return connection === 'disabled' ? 0 : oldestAgeSeconds * 1_000;
    });
    this.#diskFreePercent = polled(QUEUE_EVERY_MS, 'the disk', options.diskFreePercent);
    this.#backupTakenAt = polled(BACKUPS_EVERY_MS, 'backups', async () => {
      const taken = (await options.backups.list()).map(({ takenAt }) => Date.parse(takenAt));
      return Math.max(Number.NEGATIVE_INFINITY, ...taken);
    });
  }

  /** Whether other gateways send here. */
  get hasFleet(): boolean {
    return this.#options.fleet().gateways.length > 0;
  }

  /** The wall clock was set. */
  noteJump(deltaMs: number, monotonicMs: number): void {
    this.#jump = { seconds: Math.round(deltaMs / 1_000), atMs: monotonicMs };
  }

  /** Only what a rule needs is asked for. */
  facts(kinds: ReadonlySet<AlertRule['kind']>, { monotonicMs, wallMs }: Now): GatewayFacts {
    const asked = <T>(kind: AlertRule['kind'], polled: Polled<T>): T | null =>
      kinds.has(kind) ? polled.at(monotonicMs) : null;
    const takenAt = asked('backup', this.#backupTakenAt);
    const jump = this.#jump;
    return {
      lateTasks: asked('taskLate', this.#lateTasks),
      variables: asked('variable', this.#variables),
      queueOldMs: asked('queueOld', this.#queueOldMs),
      diskFreePercent: asked('disk', this.#diskFreePercent),
      backupAgeMs: takenAt === null ? null : wallMs - takenAt,
      certificates: this.#options
        .certificates()
        .map(({ setting, validUntilMs }) => ({ setting, leftMs: validUntilMs - wallMs })),
      clockJump: jump === null ? null : { seconds: jump.seconds, agoMs: monotonicMs - jump.atMs },
      database: databaseFault(this.#options.counters()),
      channels: this.#failingChannels(wallMs),
      fleet: this.#options.fleet(),
    };
  }

  #failingChannels(wallMs: number): GatewayFacts['channels'] {
    return this.#options.channels().flatMap(({ channelId, name }) => {
      const { failingSince } = this.#options.sender.state(channelId);
      return failingSince === null ? [] : [{ channelId, name, failingMs: wallMs - failingSince }];
    });
  }

  async #findLateTasks(): Promise<readonly LateTask[]> {
    const { plant, store, wallMs } = this.#options;
    const machines = plant.machines().filter(isWarehouseLicensed);
    if (machines.length === 0) return [];
    const nowMs = wallMs();
    const { bytes } = await store.taskList({
      machineIds: machines.map(({ machineId }) => machineId),
      onlyIncomplete: true,
      taskState: null,
      taskType: null,
      destinationLocation: null,
      requiredAfter: null,
      requiredBefore: nowMs,
      skip: 0,
      take: MAX_LATE_TASKS,
    });
    // The store made this text from its own tasks.
    const tasks = JSON.parse(Buffer.from(bytes).toString('utf8')) as readonly TaskView[];
    return tasks.flatMap((task) => {
      const machine = machines.find(({ location }) => isAt(task, location));
      if (machine === undefined) return [];
      return [{ taskId: task.taskId, machine: placeOf(machine), lateMs: nowMs - Date.parse(task.requiredDate) }];
    });
  }

  async #findVariables(): Promise<readonly VariableFact[]> {
    const found: VariableFact[] = [];
    for (const { ruleId, isOn, variable, machineIds } of this.#options.rules()) {
      if (!isOn || variable === null) continue;
      for (const machineId of machineIds) {
        const newest = await this.#newestOf(machineId, variable.name);
        if (newest !== null) found.push({ ruleId, ...newest });
      }
    }
    return found;
  }

  /** Null for a machine that is gone, and for a value that is old. */
  async #newestOf(machineId: string, name: string): Promise<Omit<VariableFact, 'ruleId'> | null> {
    const { plant, store, wallMs } = this.#options;
    const machine = plant.machine(machineId);
    if (machine === undefined) return null;
    const [newest] = await store.newestPoints(machine.machineId, [name]);
    if (newest === undefined || newest === null || wallMs() - newest.at > VALUE_IS_OLD_MS) return null;
    return { machine: placeOf(machine), value: newest.value };
  }
}

function isAt({ sourceLocation, destinationLocation }: TaskView, location: string | null): boolean {
  return location !== null && (sourceLocation === location || destinationLocation === location);
}

function placeOf({ machineId, name, area }: Machine): LateTask['machine'] {
  return { machineId, name, area: area ?? null };
}

function databaseFault({ setAside, damagedRecords, health, risks }: StoreCounters): DatabaseFault | null {
  if (health.state === 'full') return 'full';
  if (health.state === 'failing') return 'failing';
  if (setAside !== null) return 'setAside';
  if (damagedRecords.length > 0) return 'damagedRecords';
  return risks.length > 0 ? 'atRisk' : null;
}
