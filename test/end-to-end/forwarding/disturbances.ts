import { setTimeout as pause } from 'node:timers/promises';
import { Program, type ProgramOptions } from '../program.ts';
import { limitFileBytes } from '../small-disk.ts';

/** A program that can be killed and started again in its directory. */
export class Restarting {
  readonly #options: ProgramOptions;
  #program: Program | null = null;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  get running(): Program {
    if (this.#program === null) throw new Error('not started');
    return this.#program;
  }

  async start(): Promise<void> {
    this.#program = await Program.start(this.#options);
  }

  /** Kills the program like a pulled plug, and starts it again. */
  async pullPlug(): Promise<void> {
    await this.running.kill();
    this.#program = await Program.start({ ...this.#options, dir: this.running.dir });
  }

  async end(): Promise<void> {
    await this.#program?.kill();
    this.#program?.cleanUp();
  }
}

const HOUR_MS = 3_600_000;
const STALL_MS = 300;

/** Disturbances of a gateway that was started `atHand`; each is over, and mended, when it resolves. */
export const DISTURBANCES = {
  nothing: async () => undefined,
  plugPulled: (floor) => floor.pullPlug(),
  storeCrashes: async ({ running }) => {
    await running.ask({ kind: 'crashStore' });
  },
  diskStalls: async ({ running }) => {
    await running.ask({ kind: 'stallStore', forMs: STALL_MS });
    await pause(STALL_MS);
  },
  diskFull: async ({ running }) => {
    limitFileBytes(running, '4096');
    await pause(STALL_MS);
    limitFileBytes(running, 'unlimited');
  },
  clockJumps: async ({ running }, random) => {
    const { wallMs } = await running.ask({ kind: 'loopDelay' });
    await running.ask({ kind: 'setWallClock', wallMs: wallMs + (random() - 0.5) * HOUR_MS });
  },
} satisfies Readonly<Record<string, (floor: Restarting, random: () => number) => Promise<void>>>;

export type Disturbance = keyof typeof DISTURBANCES;
