import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, type TestContext, vi } from 'vitest';
import type { TimeSlicer } from './pace.ts';
import { type Json, PLANT, Program, statusOf } from './program.ts';

/** Programs start slowly while other tests run beside them. */
vi.setConfig({ testTimeout: 120_000 });

const PACE: TimeSlicer = { times: 8, fromWallMs: Date.now() };
const KEY = 'line-3-key-0123456789';
/** Totals go to disk once a minute of the gateway's clock. */
const WITHIN = { timeout: 30_000 };
const EVERY_MS = 50;
/** The first count of a copied gateway's machine, far above that of any other. */
const COPY_COUNTER = 70_000;

/** A shift every two minutes of the gateway's clock, with one under way; the production day is far from its end. */
const SHIFT_MINUTES = 2;
const SHIFTS = JSON.stringify({
  timeZone: 'UTC',
  shifts: Array.from({ length: 12 }, (_, index) => {
    const start = new Date(PACE.fromWallMs + (index - 1) * SHIFT_MINUTES * 60_000);
    return { name: `shift ${index}`, start: start.toISOString().slice(11, 16) };
  }),
});

/** The programs and machines of one test, so that the tests wait for their gateways' minutes side by side. */
class Plants {
  readonly #programs: Program[] = [];
  readonly #machines: Machine[] = [];
  #central: Program | null = null;

  async start(options: Parameters<typeof Program.start>[0]): Promise<Program> {
    const program = await Program.start({ ...options, atHand: true, pace: PACE });
    this.#programs.push(program);
    return program;
  }

  /** Starts a central server. It ends with the test, as do the programs that are started later. */
  static async open({ onTestFinished }: TestContext): Promise<Plants> {
    const plants = new Plants();
    onTestFinished(() => plants.#end());
    await plants.#startCentral();
    return plants;
  }

  async #startCentral(): Promise<void> {
    const keys = `apiKeys: [ { principal: line-3, key: ${KEY}, role: gateway } ]`;
    this.#central = await this.start({
      plant: PLANT.replace(/^apiKeys:.*$/m, keys),
      settings: `gatewayId: central\nshifts: ${SHIFTS}\n`,
    });
  }

  get central(): Program {
    if (this.#central === null) throw new Error('no central server was started');
    return this.#central;
  }

  /** A gateway that has the central server above it. */
  gateway(dir?: string): Promise<Program> {
    const upstream = `{ url: "http://127.0.0.1:${this.central.httpPort}/", apiKey: ${KEY} }`;
    return this.start({
      settings: `upstream: ${upstream}\ngatewayId: line-3\nshifts: ${SHIFTS}\n`,
      ...(dir !== undefined && { dir }),
    });
  }

  /** A gateway with RF-01, which makes parts. The central server has heard of some of them. */
  async gatewayAtWork(): Promise<{ original: Program; machine: Machine }> {
    const original = await this.gateway();
    const machine = this.machine(original, 100);
    await vi.waitUntil(async () => ((await this.partsAtCentral('line-3')) ?? 0) > 5, WITHIN);
    return { original, machine };
  }

  /** RF-01 at one gateway. */
  machine(program: Program, goodPart: number): Machine {
    const machine = new Machine(program, goodPart);
    this.#machines.push(machine);
    return machine;
  }

  async partsAtCentral(gatewayId: string): Promise<number | null> {
    const { status, body } = await this.central.api('GET', `/gateways/${gatewayId}/machines/RF-01/production`);
    return status === 404 ? null : body.goodParts;
  }

  shiftsAtCentral(gatewayId: string): Promise<readonly ShiftShown[]> {
    return shiftsAt(this.central, `/gateways/${gatewayId}/machines/RF-01/production`);
  }

  async #end(): Promise<void> {
    for (const machine of this.#machines) await machine.stop();
    for (const program of this.#programs) {
      await program.end();
    }
  }
}

/** RF-01 at one gateway, making parts as long as it is not stopped. */
class Machine {
  readonly #program: Program;
  #goodPart: number;
  #isStopped = false;
  readonly #done: Promise<void>;

  constructor(program: Program, goodPart: number) {
    this.#program = program;
    this.#goodPart = goodPart;
    this.#done = this.#run();
  }

  /** Gives its counter. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.#done;
    return this.#goodPart;
  }

  async #run(): Promise<void> {
    for (let mSecSinceBoot = 1_000_000; !this.#isStopped; mSecSinceBoot += EVERY_MS * PACE.times) {
      this.#goodPart += 1;
      const { status } = await this.#program.device('status', statusOf({ mSecSinceBoot, goodPart: this.#goodPart }));
      expect(status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }
}

async function sync(program: Program): Promise<Json> {
  return (await program.api('GET', '/sync')).body;
}

async function partsAt(program: Program): Promise<number> {
  return (await program.api('GET', '/machines/RF-01/production')).body.goodParts;
}

interface ShiftShown {
  readonly shift: string;
  readonly goodParts: number;
}

async function shiftsAt(program: Program, path = '/machines/RF-01/production'): Promise<readonly ShiftShown[]> {
  const { body } = await program.api('GET', path);
  return (body.shifts ?? []).map(({ shift, goodParts }: ShiftShown) => ({ shift, goodParts }));
}

/** The shifts from the first status of the copy's machine on: earlier ones were sent under the copied name. */
function sinceCopied(shifts: readonly ShiftShown[]): readonly ShiftShown[] {
  const first = shifts.findIndex(({ goodParts }) => goodParts > COPY_COUNTER / 2);
  return first < 0 ? [] : shifts.slice(first);
}

async function drained(program: Program): Promise<boolean> {
  const { upstream, queue } = await sync(program);
  return upstream.state === 'online' && queue.depth === 0;
}

function copyOf(dir: string): string {
  const copy = Program.prepare();
  cpSync(dir, copy, { recursive: true, filter: (file) => path.basename(file) !== 'local-access.json' });
  return copy;
}

it.concurrent('D-27 a copy of a data directory is reported and kept apart, and sends all its records once it has its own name', async (test) => {
  const { expect } = test;
  const plants = await Plants.open(test);
  let { original, machine } = await plants.gatewayAtWork();
  const counter = await machine.stop();
  await expect.poll(() => drained(original), WITHIN).toBe(true);
  await original.stop();
  const copiedDir = copyOf(original.dir);

  original = await plants.gateway(original.dir);
  machine = plants.machine(original, counter);
  const before = await partsAt(original);
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBeGreaterThan(before);
  let copy = await plants.gateway(copiedDir);
  const other = plants.machine(copy, COPY_COUNTER);
  await expect
    .poll(async () => (await sync(copy)).upstream, WITHIN)
    .toMatchObject({
      state: 'refused',
      detail: expect.stringContaining('two data directories send as gateway line-3'),
    });
  await other.stop();
  await machine.stop();
  await expect.poll(() => drained(original), WITHIN).toBe(true);
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBe(await partsAt(original));
  expect((await sync(copy)).queue.depth).toBeGreaterThan(0);
  expect((await copy.api('GET', '/diagnostics')).body.upstream).toContainEqual(
    expect.objectContaining({ detail: expect.stringContaining('give its gateway a gatewayId of its own') }),
  );
  expect(JSON.stringify((await plants.central.api('GET', '/diagnostics')).body.sendingGateway)).toContain(
    'one is a copy',
  );

  await copy.kill();
  const file = path.join(copiedDir, 'plantgate.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('gatewayId: line-3', 'gatewayId: line-4'));
  copy = await plants.gateway(copiedDir);
  await expect.poll(() => drained(copy), WITHIN).toBe(true);
  const own = sinceCopied(await shiftsAt(copy));
  expect(own).not.toEqual([]);
  await expect
    .poll(async () => sinceCopied(await plants.shiftsAtCentral('line-4')).slice(0, own.length), WITHIN)
    .toEqual(own);
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBe(await partsAt(original));
});

it.concurrent('D-27 a data directory restored from a backup goes on by itself, without help from a person', async (test) => {
  const { expect } = test;
  const plants = await Plants.open(test);
  const { original, machine } = await plants.gatewayAtWork();
  const backup = copyOf(original.dir);
  const partsThen = await partsAt(original);
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBeGreaterThan(partsThen);
  const counter = await machine.stop();
  await original.kill();
  const restored = await plants.gateway(backup);
  const same = plants.machine(restored, counter);
  await expect.poll(() => partsAt(restored), WITHIN).toBeGreaterThan(partsThen + 20);
  await same.stop();
  await expect.poll(() => drained(restored), WITHIN).toBe(true);
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBe(await partsAt(restored));
  expect((await plants.central.api('GET', '/gateways')).body).toMatchObject([
    { gatewayId: 'line-3', streams: 2, refused: [] },
  ]);
});

it.concurrent('D-27 DEV-06 a gateway restored from a backup that is several shifts old counts no part twice: each is in the shift in which it was heard first', async (test) => {
  const { expect } = test;
  const plants = await Plants.open(test);
  const { original, machine } = await plants.gatewayAtWork();
  const backup = copyOf(original.dir);
  await expect
    .poll(async () => (await plants.shiftsAtCentral('line-3')).length, { timeout: 60_000 })
    .toBeGreaterThan(2);
  const counter = await machine.stop();
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBe(counter - 101);
  const known = await plants.shiftsAtCentral('line-3');
  await original.kill();

  const restored = await plants.gateway(backup);
  const same = plants.machine(restored, counter + 1_000);
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBeGreaterThan(counter + 900);
  const counterNow = await same.stop();
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBe(counterNow - 101);
  const shown = await plants.shiftsAtCentral('line-3');
  expect(shown.slice(0, known.length - 1)).toEqual(known.slice(0, -1));
});

it.concurrent('D-27 DEV-07 a lost and recreated data directory does not reduce earlier counts', async (test) => {
  const { expect } = test;
  const plants = await Plants.open(test);
  const { original, machine } = await plants.gatewayAtWork();
  const counter = await machine.stop();
  const before = await partsAt(original);
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBe(before);
  await original.kill();
  rmSync(path.join(original.dir, 'data'), { recursive: true });
  const anew = await plants.gateway(original.dir);
  const same = plants.machine(anew, counter);
  await expect.poll(() => partsAt(anew), WITHIN).toBeGreaterThan(20);
  await same.stop();
  await expect.poll(() => plants.partsAtCentral('line-3'), WITHIN).toBe(before + (await partsAt(anew)));
});
