import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../src/domain/error.ts';
import { machineId } from '../../src/domain/machine/machine-names.ts';
import type { Coil, Machine } from '../../src/domain/plant/plant.ts';
import type { TaskOperation, TaskProgress, WarehouseTask } from '../../src/domain/warehouse/task.ts';
import { TASK_TRANSITIONS } from '../../src/domain/warehouse/transition.ts';
import { LegacyWrites } from '../../src/flows/warehouse/legacy-writes.ts';
import { WarehouseOperationsFlow } from '../../src/flows/warehouse/warehouse-operations-flow.ts';
import type {
  LegacyAgent,
  LegacyWrite,
  WarehouseRecord,
  WarehouseStore,
} from '../../src/flows/warehouse/warehouse-ports.ts';
import { oneOf, type Random, seededRandom } from '../../src/simulator/random.ts';
import { coilOf, LOCATIONS, REASON_CODES, taskOf } from '../domain/warehouse/warehouse-samples.ts';
import { rounds } from '../rounds.ts';
import { CentralSystem, LegacySystem, VirtualTime } from './legacy-system.ts';

const COIL_IDS = ['C-1', 'C-2', 'C-3'] as const;
const TASK_IDS = ['T-1', 'T-2', 'T-3', 'T-4'] as const;
const PLACES = LOCATIONS.map(({ code }) => code);

/** Long enough for every retry, every late write and every wait for another write. */
const LONG_ENOUGH_MS = 3_600_000;

interface Life {
  readonly operations: WarehouseOperationsFlow;
  readonly kill: () => void;
}

/** A gateway's write-through between a bad disk and a worse legacy system, with its own clock. */
class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly disk: WarehouseDisk;
  readonly legacy: LegacySystem;
  /** The same system, if it is a central server that writes through. */
  readonly central: CentralSystem | null;
  readonly answers: { readonly principal: string; readonly error: CodedError | null }[] = [];
  readonly overlaps: string[] = [];
  life: Life;
  #sent = 0;

  constructor(seed: number, kind: AgentKind) {
    this.random = seededRandom(seed);
    const tasks = TASK_IDS.map((taskId, index) => inTransit(taskId, COIL_IDS[index % COIL_IDS.length] ?? 'C-1'));
    this.disk = new WarehouseDisk(
      tasks,
      COIL_IDS.map((coilId) => coilOf(coilId)),
    );
    const locations = new Map(COIL_IDS.map((coilId) => [coilId, 'WH-A1']));
    this.central = kind === 'upstream' ? new CentralSystem(locations, this.time, this.random) : null;
    for (const task of tasks) this.central?.follow(task);
    this.legacy = this.central ?? new LegacySystem(locations, this.time, this.random);
    this.legacy.onWrite = ({ coilId, operationId }) => this.#watchOverlap(coilId, operationId);
    this.life = this.#begin();
  }

  /** Sends a request, and notes its answer with the sender. */
  send(): void {
    const principal = `caller-${this.#sent++}`;
    const asked = this.#ask(this.life.operations, principal);
    asked.then(
      () => this.answers.push({ principal, error: null }),
      (error: unknown) => {
        if (!(error instanceof CodedError)) throw error;
        this.answers.push({ principal, error });
      },
    );
  }

  /** Kills the gateway like kill -9; another one takes its place at once. */
  restart(): void {
    this.life.kill();
    this.life = this.#begin();
  }

  /** Everything works from now on. */
  heal(): void {
    this.legacy.isHealthy = true;
    this.disk.isHealthy = true;
  }

  writeOf(principal: string) {
    return this.disk.begun.find((write) => write.principal === principal);
  }

  #ask(operations: WarehouseOperationsFlow, principal: string): Promise<void> {
    const { random } = this;
    const [place, ...places] = PLACES;
    const location = oneOf(place ?? '', places, random);
    const coilId = oneOf(COIL_IDS[0], COIL_IDS.slice(1), random);
    if (random() < 0.5) return operations.moveCoil(coilId, location, principal);
    const taskId = oneOf(TASK_IDS[0], TASK_IDS.slice(1), random);
    const selected = this.disk.tasks.get(taskId)?.selectedCoilId ?? coilId;
    const steps: readonly TaskOperation[] = [
      { type: 'cancel', coilId: selected, location },
      { type: 'inProcess', userName: null },
      { type: 'inTransit', coilId, overrideReason: null, userName: null },
    ];
    return operations.operate(
      taskId,
      oneOf<TaskOperation>({ type: 'complete', location, userName: null }, steps, random),
      principal,
    );
  }

  #begin(): Life {
    const { time, random, disk } = this;
    const store = new StoreOfOneLife(disk, time, random);
    const clock = { now: () => ({ monotonicMs: time.nowMs, wallMs: time.nowMs }) };
    const legacyWrites = new LegacyWrites({
      agent: untilKilled(this.legacy, store),
      store,
      clock,
      newId: () => `op-${disk.begun.length}-${random()}`,
      random,
      after: time.after,
      incidents: { report: () => undefined },
      onSettled: () => undefined,
      onLate: () => undefined,
    });
    legacyWrites.restore([...disk.open.values()]);
    const plant = { machine: () => LICENSED, reasonCodes: () => REASON_CODES, locations: () => LOCATIONS };
    const operations = new WarehouseOperationsFlow({
      store,
      plant,
      legacyWrites,
      clock,
      onTaskChanged: () => undefined,
      onCoilChanged: () => undefined,
      upstream:
        this.central === null ? null : { enforcesSourceStates: true, drained: (entity) => this.#drained(entity) },
    });
    return {
      operations,
      kill: () => {
        store.isKilled = true;
        legacyWrites.stop();
      },
    };
  }

  /** Lets the task's operations reach the central server, unless the line is down. */
  async #drained(entity: string): Promise<boolean> {
    await this.time.sleep(this.random() * 30);
    if (!this.legacy.isHealthy && this.random() < 0.2) return false;
    const task = this.disk.tasks.get(entity.replace(/^task:/, ''));
    if (task !== undefined) this.central?.follow(task);
    return true;
  }

  /** Checks that a write of a coil is sent only while no other write of that coil is open. */
  #watchOverlap(coilId: string, operationId: string): void {
    const open = [...this.disk.open.values()].filter((write) => write.coilId === coilId);
    if (open.length !== 1 || open[0]?.operationId !== operationId) {
      this.overlaps.push(`${operationId} while ${open.map((write) => write.operationId).join()} of ${coilId} is open`);
    }
  }
}

const LICENSED: Machine = {
  machineId: machineId('RF-01') ?? never(),
  name: 'Rollformer 1',
  topicRoot: 'plant1/rf-01',
  location: 'RF-01',
  serialNumber: null,
  registrationKeyHash: null,
  claims: ['service.machine.warehouse'],
  variables: [],
  catalogs: [],
  state: 'active',
  mqttPasswordHash: null,
};

function never(): never {
  throw new Error('no machine id');
}

function inTransit(taskId: string, selectedCoilId: string): WarehouseTask {
  return taskOf({
    taskId,
    taskState: 'InTransit',
    selectedCoilId,
    userName: 'ann',
    startedDate: '2026-03-01T00:00:00Z',
  });
}

/** Stops the requests of a killed gateway, and drops the answers to it. */
function untilKilled(agent: LegacyAgent, life: StoreOfOneLife): LegacyAgent {
  const heard = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (life.isKilled) return new Promise(() => undefined);
    const answer = await ask();
    return life.isKilled ? new Promise(() => undefined) : answer;
  };
  return {
    move: (write) => heard(() => agent.move(write)),
    locate: (coilId, write) => heard(() => agent.locate(coilId, write)),
    close: () => agent.close(),
  };
}

const AGENT_KINDS = ['http', 'upstream'] as const;
type AgentKind = (typeof AGENT_KINDS)[number];

type Step = 'send' | 'wait' | 'kill';
const steps = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.constant<Step>('send') },
    { weight: 6, arbitrary: fc.constant<Step>('wait') },
    { weight: 1, arbitrary: fc.constant<Step>('kill') },
  ),
  { minLength: 5, maxLength: 60, size: 'max' },
);

async function live(seed: number, happenings: readonly Step[], kind: AgentKind): Promise<World> {
  const world = new World(seed, kind);
  for (const step of happenings) {
    if (step === 'send') world.send();
    if (step === 'kill') world.restart();
    await world.time.run(world.time.nowMs + (step === 'wait' ? world.random() * 8_000 : world.random() * 50));
  }
  world.heal();
  await world.time.run(world.time.nowMs + LONG_ENOUGH_MS);
  return world;
}

/** Checks that the legacy system still agrees with the answer to a caller. */
function expectTrue(world: World, { principal, error }: World['answers'][number]): void {
  const write = world.writeOf(principal);
  if (write === undefined) return;
  const isApplied = world.legacy.hasApplied(write.operationId);
  const saysNothingChanged = error?.code === 'invalid-input' || error?.code === 'agent-unavailable';
  if (error === null) expect(isApplied, `${principal} was told yes`).toBe(true);
  if (saysNothingChanged) expect(isApplied, `${principal} was told that nothing changed`).toBe(false);
}

describe('write-through, whichever side dies', () => {
  it.each(AGENT_KINDS)(
    'UP-04 D-16 D-17 TASK-09 TASK-11 COIL-04 (%s) both systems agree in the end, answers were true, and no two writes of a coil overlapped',
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), steps, async (seed, happenings) => {
          const world = await live(seed, happenings, kind);
          expect([...world.disk.open.values()]).toEqual([]);
          expect(new Map([...world.disk.coils].map(([coilId, { location }]) => [coilId, location]))).toEqual(
            world.legacy.locations,
          );
          for (const [taskId, taskState] of world.central?.taskStates ?? []) {
            expect(taskState === 'Complete', taskId).toBe(world.disk.tasks.get(taskId)?.taskState === 'Complete');
          }
          expect(world.overlaps).toEqual([]);
          expect(world.disk.brokenSteps).toEqual([]);
          for (const answer of world.answers) expectTrue(world, answer);
        }),
        { numRuns: rounds(500) },
      );
    },
  );
});

/** The warehouse on disk, which outlives the gateway. */
class WarehouseDisk {
  readonly tasks: Map<string, WarehouseTask>;
  readonly coils: Map<string, Coil>;
  readonly open = new Map<string, LegacyWrite>();
  /** Every write that ever began. */
  readonly begun: LegacyWrite[] = [];
  /** Steps of tasks from an outdated state, or during an open write of the task. */
  readonly brokenSteps: string[] = [];
  isHealthy = false;

  constructor(tasks: readonly WarehouseTask[], coils: readonly Coil[]) {
    this.tasks = new Map(tasks.map((task) => [task.taskId, task]));
    this.coils = new Map(coils.map((coil) => [coil.coilId, coil]));
  }

  commit(records: readonly WarehouseRecord[]): void {
    for (const record of records) {
      if (record.kind === 'legacyWrite') {
        this.open.set(record.write.operationId, record.write);
        this.begun.push(record.write);
      } else if (record.kind === 'legacyWriteSettled') {
        this.open.delete(record.operationId);
      } else if (record.kind === 'coilLocation') {
        const coil = this.coils.get(record.coilId);
        if (coil !== undefined) this.coils.set(record.coilId, { ...coil, location: record.location });
      } else {
        this.#commitProgress(record.taskId, record.progress, records);
      }
    }
  }

  #commitProgress(taskId: string, progress: TaskProgress, records: readonly WarehouseRecord[]): void {
    const task = this.tasks.get(taskId);
    if (task === undefined) return;
    const { type }: TaskOperation = JSON.parse(progress.lastOperation ?? '');
    const settles = records.some(({ kind }) => kind === 'legacyWriteSettled');
    const isOpen = [...this.open.values()].some(({ purpose }) => 'taskId' in purpose && purpose.taskId === taskId);
    if (!TASK_TRANSITIONS[type].from.includes(task.taskState) || (isOpen && !settles)) {
      this.brokenSteps.push(`${type} of ${taskId} from ${task.taskState}, a write open: ${isOpen}`);
    }
    this.tasks.set(taskId, { ...task, ...progress });
  }
}

/** The disk of one run of the gateway: once the gateway is killed, no record of it is written any more. */
class StoreOfOneLife implements WarehouseStore {
  isKilled = false;
  readonly #disk: WarehouseDisk;
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(disk: WarehouseDisk, time: VirtualTime, random: Random) {
    this.#disk = disk;
    this.#time = time;
    this.#random = random;
  }

  async task(taskId: string): Promise<WarehouseTask | null> {
    await this.#time.sleep(this.#random() * 5);
    return this.#disk.tasks.get(taskId) ?? null;
  }

  async coil(coilId: string): Promise<Coil | null> {
    await this.#time.sleep(this.#random() * 5);
    return this.#disk.coils.get(coilId) ?? null;
  }

  async write(records: readonly WarehouseRecord[]): Promise<void> {
    await this.#time.sleep(this.#random() * 20);
    if (this.isKilled) return new Promise(() => undefined);
    if (!this.#disk.isHealthy && this.#random() < 0.05) {
      throw new CodedError('store-unavailable', 'the disk takes nothing at the moment');
    }
    this.#disk.commit(records);
    await this.#time.sleep(this.#random() * 20);
    if (this.isKilled) return new Promise(() => undefined);
  }
}
