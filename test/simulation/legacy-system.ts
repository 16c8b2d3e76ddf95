import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  LegacyRequest,
} from '../../src/flows/warehouse/warehouse-ports.ts';
import type { Random } from '../../src/simulator/random.ts';
import type { VirtualTime } from './virtual-time.ts';

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
