import { errorMessage } from '../../domain/error-text.ts';
import type { Log } from '../../flows/ports.ts';
import type { StoreHealth } from '../../flows/store-health-ports.ts';
import type { DatabaseClock } from './database-clock.ts';
import { databaseRisks } from './database-risks.ts';
import type { Postgres } from './postgres.ts';

/** The pause between two looks at the database. */
export const LOOK_MS = 2_000;
/** The settings are read at each of so many looks. */
const SETTINGS_EACH = 15;

type Listener = (health: StoreHealth) => void;

/** Whether the database takes writes, for `/readyz`, metrics and incidents. */
export class DatabaseHealth {
  readonly #postgres: Postgres;
  readonly #clock: DatabaseClock;
  readonly #log: Log;
  readonly #listeners: Listener[] = [];
  readonly #timer: NodeJS.Timeout;
  #present: StoreHealth = { state: 'ok' };
  #isLooking = false;
  #looks = 0;
  #risks: readonly string[] = [];
  #isClockOff = false;

  constructor(
    postgres: Postgres,
    { clock, log, lookMs }: { readonly clock: DatabaseClock; readonly log: Log; readonly lookMs: number },
  ) {
    this.#postgres = postgres;
    this.#clock = clock;
    this.#log = log;
    this.#timer = setInterval(() => void this.#look(), lookMs);
    this.#timer.unref();
  }

  get present(): StoreHealth {
    return this.#present;
  }

  /** Settings by which acknowledged batches may be lost, and a clock of this node that is not the database's. */
  get risks(): readonly string[] {
    return [...this.#risks, ...this.#clock.risks];
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const detail = await this.#fault();
    this.#isLooking = false;
    if ((detail === null) === (this.#present.state === 'ok')) return;
    this.#present = detail === null ? { state: 'ok' } : { state: 'failing', since: this.#clock.now().wallMs, detail };
    for (const listener of this.#listeners) listener(this.#present);
  }

  async #readRisks(): Promise<void> {
    const risks = await databaseRisks(this.#postgres);
    for (const risk of risks) {
      if (!this.#risks.includes(risk)) this.#log.warn({ risk }, 'the database may lose batches that were acknowledged');
    }
    this.#risks = risks;
  }

  #tellClock(): void {
    const [risk = null] = this.#clock.risks;
    if ((risk !== null) === this.#isClockOff) return;
    this.#isClockOff = risk !== null;
    if (risk === null) this.#log.info({}, 'the clock of this node is that of the database again');
    else
      this.#log.warn({ risk }, 'the clock of this node is not that of the database, which judges gateways from now on');
  }

  async #fault(): Promise<string | null> {
    try {
      const isStandby = await this.#clock.compare(this.#postgres);
      this.#tellClock();
      if (this.#looks++ % SETTINGS_EACH === 0) await this.#readRisks();
      return isStandby ? 'PostgreSQL is a standby that takes no writes: it has to be promoted' : null;
    } catch (error) {
      return `PostgreSQL: ${errorMessage(error)}`;
    }
  }
}
