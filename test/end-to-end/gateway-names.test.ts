import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TimeSlicer } from './pace.ts';
import { type Json, PLANT, Program, statusOf } from './program.ts';

/** Programs start slowly while other tests run beside them. */
vi.setConfig({ testTimeout: 90_000 });

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

const programs: Program[] = [];
const machines: Machine[] = [];
let central: Program;

beforeEach(async () => {
  const keys = `apiKeys: [ { principal: line-3, key: ${KEY}, role: gateway } ]`;
  central = await start({
    plant: PLANT.replace(/^apiKeys:.*$/m, keys),
    settings: `gatewayId: central\nshifts: ${SHIFTS}\n`,
  });
});

afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.stop();
  for (const program of programs.splice(0)) {
    await program.kill();
    program.cleanUp();
  }
});

async function start(options: Parameters<typeof Program.start>[0]): Promise<Program> {
  const program = await Program.start({ ...options, atHand: true, pace: PACE });
  programs.push(program);
  return program;
}

/** A gateway that has the central server above it. */
function gateway(dir?: string): Promise<Program> {
  const upstream = `{ url: "http://127.0.0.1:${central.httpPort}/", apiKey: ${KEY} }`;
  return start({
    settings: `upstream: ${upstream}\ngatewayId: line-3\nshifts: ${SHIFTS}\n`,
    ...(dir !== undefined && { dir }),
  });
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
    machines.push(this);
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

async function partsAtCentral(gatewayId: string): Promise<number | null> {
  const { status, body } = await central.api('GET', `/gateways/${gatewayId}/machines/RF-01/production`);
  return status === 404 ? null : body.goodParts;
}

interface ShiftShown {
  readonly shift: string;
  readonly goodParts: number;
}

async function shiftsAt(program: Program, path = '/machines/RF-01/production'): Promise<readonly ShiftShown[]> {
  const { body } = await program.api('GET', path);
  return (body.shifts ?? []).map(({ shift, goodParts }: ShiftShown) => ({ shift, goodParts }));
}

function shiftsAtCentral(gatewayId: string): Promise<readonly ShiftShown[]> {
  return shiftsAt(central, `/gateways/${gatewayId}/machines/RF-01/production`);
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

it('D-27 a copy of a data directory is reported and kept apart, and sends all its records once it has its own name', async () => {
  let original = await gateway();
  let machine = new Machine(original, 100);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBeGreaterThan(5);
  const counter = await machine.stop();
  await expect.poll(() => drained(original), WITHIN).toBe(true);
  await original.stop();
  const copiedDir = copyOf(original.dir);

  original = await gateway(original.dir);
  machine = new Machine(original, counter);
  const before = await partsAt(original);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBeGreaterThan(before);
  let copy = await gateway(copiedDir);
  const other = new Machine(copy, COPY_COUNTER);
  await expect
    .poll(async () => (await sync(copy)).upstream, WITHIN)
    .toMatchObject({
      state: 'refused',
      detail: expect.stringContaining('two data directories send as gateway line-3'),
    });
  await other.stop();
  await machine.stop();
  await expect.poll(() => drained(original), WITHIN).toBe(true);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBe(await partsAt(original));
  expect((await sync(copy)).queue.depth).toBeGreaterThan(0);
  expect((await copy.api('GET', '/diagnostics')).body.upstream).toContainEqual(
    expect.objectContaining({ detail: expect.stringContaining('give its gateway a gatewayId of its own') }),
  );
  expect(JSON.stringify((await central.api('GET', '/diagnostics')).body.sendingGateway)).toContain('one is a copy');

  await copy.kill();
  const file = path.join(copiedDir, 'plantgate.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('gatewayId: line-3', 'gatewayId: line-4'));
  copy = await gateway(copiedDir);
  await expect.poll(() => drained(copy), WITHIN).toBe(true);
  const own = sinceCopied(await shiftsAt(copy));
  expect(own).not.toEqual([]);
  await expect.poll(async () => sinceCopied(await shiftsAtCentral('line-4')).slice(0, own.length), WITHIN).toEqual(own);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBe(await partsAt(original));
});

it('D-27 a data directory restored from a backup goes on by itself, without help from a person', async () => {
  const original = await gateway();
  const machine = new Machine(original, 100);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBeGreaterThan(5);
  const backup = copyOf(original.dir);
  const partsThen = await partsAt(original);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBeGreaterThan(partsThen);
  const counter = await machine.stop();
  await original.kill();
  const restored = await gateway(backup);
  const same = new Machine(restored, counter);
  await expect.poll(() => partsAt(restored), WITHIN).toBeGreaterThan(partsThen + 20);
  await same.stop();
  await expect.poll(() => drained(restored), WITHIN).toBe(true);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBe(await partsAt(restored));
  expect((await central.api('GET', '/gateways')).body).toMatchObject([
    { gatewayId: 'line-3', streams: 2, refused: [] },
  ]);
});

it('D-27 DEV-06 a gateway restored from a backup that is several shifts old counts no part twice: each is in the shift in which it was heard first', async () => {
  const original = await gateway();
  const machine = new Machine(original, 100);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBeGreaterThan(5);
  const backup = copyOf(original.dir);
  await expect.poll(async () => (await shiftsAtCentral('line-3')).length, { timeout: 60_000 }).toBeGreaterThan(2);
  const counter = await machine.stop();
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBe(counter - 101);
  const known = await shiftsAtCentral('line-3');
  await original.kill();

  const restored = await gateway(backup);
  const same = new Machine(restored, counter + 1_000);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBeGreaterThan(counter + 900);
  const counterNow = await same.stop();
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBe(counterNow - 101);
  const shown = await shiftsAtCentral('line-3');
  expect(shown.slice(0, known.length - 1)).toEqual(known.slice(0, -1));
});

it('D-27 DEV-07 a lost and recreated data directory does not reduce earlier counts', async () => {
  const original = await gateway();
  const machine = new Machine(original, 100);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBeGreaterThan(5);
  const counter = await machine.stop();
  const before = await partsAt(original);
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBe(before);
  await original.kill();
  rmSync(path.join(original.dir, 'data'), { recursive: true });
  const anew = await gateway(original.dir);
  const same = new Machine(anew, counter);
  await expect.poll(() => partsAt(anew), WITHIN).toBeGreaterThan(20);
  await same.stop();
  await expect.poll(() => partsAtCentral('line-3'), WITHIN).toBe(before + (await partsAt(anew)));
});
