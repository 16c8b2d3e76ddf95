/** Calls `act` after the delay. The function that it gives cancels this. */
export type After = (delayMs: number, act: () => void) => () => void;

/** Runs `turn` repeatedly while it is started. `turn` gives the delay before the next run; `wake` skips the delay. */
export class ForwardLoop {
  readonly #turn: () => Promise<number>;
  readonly #after: After;
  #isOn = false;
  #turning: Promise<void> | null = null;
  #isWoken = false;
  #cancelWait: () => void = () => undefined;

  /** `turn` never rejects. */
  constructor(turn: () => Promise<number>, after: After) {
    this.#turn = turn;
    this.#after = after;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  start(): void {
    this.#isOn = true;
    this.#next();
  }

  /** Takes no further turn; the one under way goes on to its end. */
  pause(): void {
    this.#isOn = false;
    this.#cancelWait();
  }

  /** Runs `turn` at once, or again after the run under way, because there is work. */
  wake(): void {
    if (!this.#isOn) return;
    if (this.#turning === null) this.#next();
    else this.#isWoken = true;
  }

  /** Resolves when no turn is under way. */
  async settled(): Promise<void> {
    await this.#turning;
  }

  #next(): void {
    this.#cancelWait();
    if (!this.#isOn || this.#turning !== null) return;
    this.#isWoken = false;
    this.#turning = this.#turn().then((waitMs) => {
      this.#turning = null;
      if (this.#isWoken || waitMs === 0) this.#next();
      else if (this.#isOn) this.#cancelWait = this.#after(waitMs, () => this.#next());
    });
  }
}
