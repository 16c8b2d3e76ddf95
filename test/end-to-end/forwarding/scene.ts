import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFailed, vi } from 'vitest';
import { BadLine, type LineFaults, SOUND_LINE } from '../../fakes/bad-line.ts';
import type { TimeSlicer } from '../pace.ts';
import { type Json, Program, type ProgramOptions } from '../program.ts';
import { limitFileBytes } from '../small-disk.ts';
import { type Crew, FLOOR_PLANT, hireCrew } from './crew.ts';

export const GATEWAY_ID = 'floor-1';
/** The clock of both sides runs faster: waits and back-offs would otherwise take most of a round. */
export const PACE: TimeSlicer = { times: 5, fromWallMs: Date.now() };
export const ROUND_TIMEOUT_MS = 60_000;
export const DRAINED_WITHIN_MS = 30_000;
const BURST_MS = 500;
const HOURS_A_DAY = 24;
/** The lines of the gateway's log that are printed after a failed round. */
const LOG_LINES = 20;

/** Shifts of an hour, so that clocks jump from one into another; the production day is half over, far from either end. */
export const SHIFTS = `shifts: ${JSON.stringify({
  timeZone: 'UTC',
  shifts: Array.from({ length: HOURS_A_DAY }, (_, index) => {
    const hour = (new Date(PACE.fromWallMs).getUTCHours() + HOURS_A_DAY / 2 + index) % HOURS_A_DAY;
    return { name: `shift ${hour}`, start: `${String(hour).padStart(2, '0')}:00` };
  }),
})}\n`;

interface Round {
  readonly faults: LineFaults;
  /** Gives the name of the event. */
  readonly disturb: () => Promise<string>;
  /** Ends what `disturb` began. */
  readonly calm?: () => void;
  readonly check: () => Promise<void>;
}

/** A gateway at work, and the bad line to its central server. */
export class Scene {
  readonly line: BadLine;
  readonly floor: Restarting;
  readonly crew: Crew;
  readonly #random: () => number;
  readonly #disturbances: string[] = [];
  #isSound = true;

  private constructor(line: BadLine, floor: Restarting, random: () => number) {
    this.line = line;
    this.floor = floor;
    this.#random = random;
    this.crew = hireCrew(() => floor.running, random);
  }

  /** `centralPort` is read for each connection, `centralKey` is the gateway's key there. */
  static async open(centralPort: () => number, centralKey: string, random: () => number): Promise<Scene> {
    const line = new BadLine(centralPort);
    await line.start();
    const upstream = `{ url: "${line.url}", apiKey: ${centralKey}, pollSeconds: 1, timeoutSeconds: 3 }`;
    const legacyAgent = '{ kind: upstream, timeoutSeconds: 3 }';
    const settings = `gatewayId: ${GATEWAY_ID}\nupstream: ${upstream}\nlegacyAgent: ${legacyAgent}\n${SHIFTS}`;
    const floor = new Restarting({ plant: FLOOR_PLANT, settings, atHand: true, pace: PACE });
    await floor.start();
    const scene = new Scene(line, floor, random);
    await scene.#mirrored();
    return scene;
  }

  async close(): Promise<void> {
    await this.floor.end();
    await this.line.stop();
  }

  /**
   * All clients work over a bad line, and at some moment an event happens; then the line is good again, the queue
   * drains, and the result is checked.
   */
  async round({ faults, disturb, calm, check }: Round): Promise<void> {
    if (!this.#isSound) throw new Error('an earlier round failed, and what it left is found by all that follow');
    onTestFailed(() => this.#tell());
    this.#isSound = false;
    await this.#burst(faults, disturb);
    calm?.();
    await this.#drained();
    await check();
    this.#isSound = true;
  }

  /** The seed alone does not repeat the moments of the events. */
  async #tell(): Promise<void> {
    const sync = await this.floor.running.api('GET', '/sync').catch(String);
    const log = this.floor.running.log.slice(-LOG_LINES);
    console.error(JSON.stringify({ disturbances: this.#disturbances, sync, log }, null, 2));
  }

  async #burst(faults: LineFaults, disturb: () => Promise<string>): Promise<void> {
    const { office, drivers, designer, machines } = this.crew;
    this.line.faults = faults;
    let isOver = false;
    const work = [office, ...drivers, designer, ...machines].map(async (worker) => {
      while (!isOver) await worker.act();
    });
    await pause(this.#random() * BURST_MS);
    this.#disturbances.push(await disturb());
    await pause(this.#random() * BURST_MS);
    isOver = true;
    await Promise.all(work);
    this.line.faults = SOUND_LINE;
  }

  /** The line is down for a while. */
  async lineDown(): Promise<void> {
    this.line.isDown = true;
    await pause(BURST_MS / 2);
    this.line.isDown = false;
  }

  /** Resolves once no record waits any more; a record that was set aside is a fault. */
  async #drained(): Promise<void> {
    for (const machine of this.crew.machines) await machine.settle();
    const state = async () => {
      const { upstream, queue, setAside }: Json = (await this.floor.running.api('GET', '/sync')).body;
      return { state: upstream.state, depth: queue.depth, setAside };
    };
    const isDrained = { state: 'online', depth: 0, setAside: [] };
    await expect.poll(state, { timeout: DRAINED_WITHIN_MS, interval: 50 }).toEqual(isDrained);
  }

  /** The gateway's own record of a task and its coil. */
  async lot(taskId: string, coilId: string): Promise<readonly Json[]> {
    const { running } = this.floor;
    return [
      (await running.api('GET', `/plant/tasks/${taskId}`)).body,
      (await running.api('GET', `/plant/coils/${coilId}`)).body,
    ];
  }

  /** The orders of a gateway: documentID and salesOrder. */
  static async ordersOf({ running }: Restarting): Promise<ReadonlyMap<string, string>> {
    const { body } = await running.api('GET', '/plant/orders?take=1000');
    return new Map(body.map(({ documentID, salesOrder }: Json) => [documentID, salesOrder]));
  }

  async #mirrored(): Promise<void> {
    const { drivers } = this.crew;
    const tasks = async () => (await this.floor.running.api('GET', '/plant/tasks?take=10')).body.length;
    await vi.waitFor(async () => expect(await tasks()).toBe(drivers.length), { timeout: DRAINED_WITHIN_MS });
  }
}

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
