import type { WarehouseTask } from '../../src/domain/warehouse/task.ts';
import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  LegacyRequest,
} from '../../src/flows/warehouse/warehouse-ports.ts';
import type { Random } from '../../src/simulator/random.ts';

const AGENT_TIMEOUT_MS = 5_000;
/** The time after its due answer in which an agent may still carry out a write. */
const LATEST_MS = 60_000;

/**
 * A legacy system and the line to it, both as bad as the seed decides: writes are lost on the way, carried out without
 * an answer, carried out a minute after all callers gave up, or reported as failed although they were carried out. It
 * keeps the only rule of the contract: a write that was judged once under an operationId is judged the same again, and
 * carried out once.
 */
export class LegacySystem implements LegacyAgent {
  readonly locations: Map<string, string>;
  readonly #judged = new Map<string, LegacyOutcome>();
  /** The copies that came, by operation, for the test's own check. */
  readonly writes: LegacyRequest[] = [];
  isHealthy = false;
  /** Called before a write is judged. */
  onWrite: (write: LegacyRequest) => void = () => undefined;
  protected readonly saysThatItFailed: boolean = true;
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(locations: ReadonlyMap<string, string>, time: VirtualTime, random: Random) {
    this.locations = new Map(locations);
    this.#time = time;
    this.#random = random;
  }

  hasApplied(operationId: string): boolean {
    return this.#judged.get(operationId)?.kind === 'applied';
  }

  async move(write: LegacyRequest): Promise<LegacyOutcome> {
    const chance = this.#random();
    if (!this.isHealthy && chance < 0.1) return { kind: 'offline', detail: 'refused' };
    this.onWrite(write);
    this.writes.push(write);
    if (!this.isHealthy && chance < 0.2) return this.#silence();
    if (!this.isHealthy && chance < 0.35) {
      await this.#time.sleep(this.#random() * AGENT_TIMEOUT_MS);
      this.#judge(write);
      return this.#silence();
    }
    if (!this.isHealthy && chance < 0.5) {
      this.#time.after(AGENT_TIMEOUT_MS + this.#random() * LATEST_MS, () => this.#judge(write));
      return this.#silence();
    }
    if (!this.isHealthy && chance < 0.6 && this.saysThatItFailed) {
      await this.#time.sleep(this.#random() * 100);
      if (chance < 0.55) this.#judge(write);
      return { kind: 'failed', detail: 'HTTP status 500' };
    }
    await this.#time.sleep(this.#random() * 100);
    const outcome = this.#judge(write);
    await this.#time.sleep(this.#random() * 100);
    return outcome;
  }

  async locate(coilId: string, write: LegacyRequest): Promise<LegacyLocation> {
    if (!this.isHealthy && this.#random() < 0.3) return { kind: 'unreachable', detail: 'no answer' };
    await this.#time.sleep(this.#random() * 50);
    const seen = this.look(coilId, write);
    await this.#time.sleep(this.#random() * 50);
    return seen;
  }

  /** The location that it shows for a coil. */
  protected look(coilId: string, _write: LegacyRequest): LegacyLocation {
    const location = this.locations.get(coilId);
    return location === undefined ? { kind: 'absent' } : { kind: 'at', location };
  }

  /** The reason for which it will never carry out the write; null if it will. */
  protected objection(_write: LegacyRequest): string | null {
    return this.#random() < 0.1 ? 'coil is locked' : null;
  }

  protected carryOut({ coilId, location }: LegacyRequest): void {
    this.locations.set(coilId, location);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #judge(write: LegacyRequest): LegacyOutcome {
    const known = this.#judged.get(write.operationId);
    if (known !== undefined) return known;
    const message = this.objection(write);
    const outcome: LegacyOutcome = message === null ? { kind: 'applied' } : { kind: 'rejected', message };
    this.#judged.set(write.operationId, outcome);
    if (message === null) this.carryOut(write);
    return outcome;
  }

  async #silence(): Promise<LegacyOutcome> {
    await this.#time.sleep(this.#random() * AGENT_TIMEOUT_MS);
    return { kind: 'unconfirmed', detail: 'no answer in time' };
  }
}

/** A central server that writes through, with its own tasks: it judges their states itself, and shows them. */
export class CentralSystem extends LegacySystem {
  /** A server that failed may have handed the write on. */
  protected override readonly saysThatItFailed = false;
  readonly taskStates = new Map<string, WarehouseTask['taskState']>();

  /** Takes over the task's state, because the operations of the task reached the server. */
  follow({ taskId, taskState }: WarehouseTask): void {
    this.taskStates.set(taskId, taskState);
  }

  protected override look(coilId: string, write: LegacyRequest): LegacyLocation {
    if (write.purpose.type === 'move') return super.look(coilId, write);
    const isDone = this.taskStates.get(write.purpose.taskId) === stateAfter(write.purpose.type);
    return isDone && this.locations.get(coilId) === write.location ? { kind: 'carriedOut' } : { kind: 'notSeen' };
  }

  protected override objection(write: LegacyRequest): string | null {
    if (write.purpose.type !== 'move') {
      const state = this.taskStates.get(write.purpose.taskId);
      const isAccepted = state === 'InTransit' || (state === 'InProcess' && write.purpose.type === 'cancel');
      if (!isAccepted) return `taskState: found ${state}`;
    }
    return super.objection(write);
  }

  protected override carryOut(write: LegacyRequest): void {
    super.carryOut(write);
    if (write.purpose.type !== 'move') this.taskStates.set(write.purpose.taskId, stateAfter(write.purpose.type));
  }
}

function stateAfter(type: 'complete' | 'cancel'): WarehouseTask['taskState'] {
  return type === 'complete' ? 'Complete' : 'Ready';
}

interface Due {
  readonly atMs: number;
  readonly act: () => void;
}

/** Time that passes only on request, act by act; between two acts all promises settle. */
export class VirtualTime {
  nowMs = 0;
  /** Earliest first; acts of the same time in the order of their requests. */
  readonly #due: Due[] = [];

  /** Acts in `delayMs`, unless the returned function is called before. */
  readonly after = (delayMs: number, act: () => void): (() => void) => {
    const entry = { atMs: this.nowMs + delayMs, act };
    const later = this.#due.findIndex(({ atMs }) => atMs > entry.atMs);
    this.#due.splice(later < 0 ? this.#due.length : later, 0, entry);
    return () => {
      const at = this.#due.indexOf(entry);
      if (at >= 0) this.#due.splice(at, 1);
    };
  };

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Lets time pass up to `untilMs`. */
  async run(untilMs: number): Promise<void> {
    await rest();
    for (let next = this.#due[0]; next !== undefined && next.atMs <= untilMs; next = this.#due[0]) {
      this.#due.shift();
      this.nowMs = next.atMs;
      next.act();
      await rest();
    }
    this.nowMs = untilMs;
  }
}

function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
