import type { LegacyAgent, LegacyLocation, LegacyOutcome, LegacyWrite } from '../../src/flows/warehouse-ports.ts';
import type { Random } from '../../src/simulator/random.ts';
import type { VirtualTime } from './virtual-time.ts';

type Write = Pick<LegacyWrite, 'coilId' | 'location' | 'operationId'>;

const AGENT_TIMEOUT_MS = 5_000;
/** How much later than its answer was due an agent may still carry a write out. */
const LATEST_MS = 60_000;

/**
 * A legacy system and the line to it, both as bad as the seed has them: writes are lost on the way, carried out without an
 * answer, carried out a minute after everybody gave up. It keeps the one thing that the contract asks: a write it has
 * judged once under an operationId is judged the same again, and carried out once.
 */
export class LegacySystem implements LegacyAgent {
  readonly locations: Map<string, string>;
  readonly #judged = new Map<string, LegacyOutcome>();
  /** Copies that came, by operation, for the sake of the test's own check. */
  readonly writes: Write[] = [];
  isHealthy = false;
  /** Called before a write is looked at. */
  onWrite: (write: Write) => void = () => undefined;
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

  async move(write: Write): Promise<LegacyOutcome> {
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
    await this.#time.sleep(this.#random() * 100);
    const outcome = this.#judge(write);
    await this.#time.sleep(this.#random() * 100);
    return outcome;
  }

  async locate(coilId: string): Promise<LegacyLocation> {
    if (!this.isHealthy && this.#random() < 0.3) return { kind: 'unreachable', detail: 'no answer' };
    await this.#time.sleep(this.#random() * 50);
    const location = this.locations.get(coilId);
    await this.#time.sleep(this.#random() * 50);
    return location === undefined ? { kind: 'absent' } : { kind: 'at', location };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #judge(write: Write): LegacyOutcome {
    const known = this.#judged.get(write.operationId);
    if (known !== undefined) return known;
    const isRejected = this.#random() < 0.1;
    const outcome: LegacyOutcome = isRejected ? { kind: 'rejected', message: 'coil is locked' } : { kind: 'applied' };
    this.#judged.set(write.operationId, outcome);
    if (!isRejected) this.locations.set(write.coilId, write.location);
    return outcome;
  }

  async #silence(): Promise<LegacyOutcome> {
    await this.#time.sleep(this.#random() * AGENT_TIMEOUT_MS);
    return { kind: 'inDoubt', detail: 'no answer in time' };
  }
}
