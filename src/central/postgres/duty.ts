import { errorMessage } from '../../domain/error-text.ts';
import type { Log } from '../../flows/ports.ts';
import type { Postgres } from './postgres.ts';

const HOLD_EVERY_MS = 3_000;
const HELD_SECONDS = 10;

const HOLD = `
  INSERT INTO central.duty (name, holder, held_until) VALUES ($1, $2, clock_timestamp() + interval '${HELD_SECONDS} s')
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
  WHERE duty.holder = excluded.holder OR duty.held_until < clock_timestamp()`;
const GIVE_BACK = 'DELETE FROM central.duty WHERE name = $1 AND holder = $2';

/** Work that one node at a time does for all, such as alerts. */
export class Duty {
  readonly #postgres: Postgres;
  readonly #name: string;
  readonly #run: string;
  readonly #log: Log;
  readonly #listeners: ((isOurs: boolean) => void)[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isOurs = false;
  #isAsking = false;

  constructor(postgres: Postgres, name: string, { run, log }: { readonly run: string; readonly log: Log }) {
    this.#postgres = postgres;
    this.#name = name;
    this.#run = run;
    this.#log = log;
  }

  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** Calls the listener when this node begins or ends to do it. */
  onChange(listener: (isOurs: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves when it is known whether this node does it at first. */
  async start(): Promise<void> {
    await this.#hold();
    this.#timer = setInterval(() => void this.#hold(), HOLD_EVERY_MS).unref();
  }

  /** Gives it back, so that another node begins within seconds. */
  async stop(): Promise<void> {
    clearInterval(this.#timer ?? undefined);
    if (!this.#isOurs) return;
    this.#set(false);
    try {
      await this.#postgres.run(GIVE_BACK, [this.#name, this.#run]);
    } catch (error) {
      // It ends by itself after 10 s.
      this.#log.debug({ duty: this.#name, error: errorMessage(error) }, 'a duty could not be given back');
    }
  }

  async #hold(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      this.#set((await this.#postgres.run(HOLD, [this.#name, this.#run])) > 0);
    } catch (error) {
      // While the database is away the node that has the duty goes on: somebody has to tell people that it is away.
      this.#log.debug({ duty: this.#name, error: errorMessage(error) }, 'a duty could not be held');
    } finally {
      this.#isAsking = false;
    }
  }

  #set(isOurs: boolean): void {
    if (isOurs === this.#isOurs) return;
    this.#isOurs = isOurs;
    this.#log.info({ duty: this.#name, isOurs }, isOurs ? 'this node begins a duty' : 'this node ends a duty');
    for (const listener of this.#listeners) listener(isOurs);
  }
}
