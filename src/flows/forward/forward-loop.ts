/** Calls `act` after the delay. The function that it gives cancels this. */
export type After = (delayMs: number, act: () => void) => () => void;

/** Takes turns while it is started. */
export abstract class ForwardLoop {
  readonly #after: After;
  #isOn = false;
  #turning: Promise<void> | null = null;
  #isWoken = false;
  #cancelWait: () => void = () => undefined;

  constructor(after: After) {
    this.#after = after;
  }

  /** Gives the delay before the next turn; `wake` skips it. Never rejects. */
  protected abstract turn(): Promise<number>;

  protected get isOn(): boolean {
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

  /** Takes a turn at once, or another after the one under way, because there is work. */
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
    this.#turning = this.turn().then((waitMs) => {
      this.#turning = null;
      if (this.#isWoken || waitMs === 0) this.#next();
      else if (this.#isOn) this.#cancelWait = this.#after(waitMs, () => this.#next());
    });
  }
}
