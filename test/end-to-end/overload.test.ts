import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type Json, Program } from './program.ts';
import { Fleet, fleetPlant, fleetTopicRoot, VariablePublisher } from './raw-device.ts';

const MACHINES = 200;
const INTERVAL_MS = 500;
const STALL_MS = 2_000;
/** On a separate computer the delay stays below 10 and 20 ms; other programs may share this one. */
const P99_DELAY_MS = 50;
const MAX_DELAY_MS = 200;

let program: Program;
let fleet: Fleet;
let publisher: VariablePublisher;

async function startUnderLoad(): Promise<void> {
  program = await Program.start({ plant: fleetPlant(MACHINES), atHand: true });
  fleet = await Fleet.open(program.mqttPort, MACHINES);
  publisher = new VariablePublisher('historian', `${fleetTopicRoot(0)}/vars/lineSpeed`);
  publisher.connect(program.mqttPort);
  await fleet.run(INTERVAL_MS);
  await pause(1_000);
  await program.ask({ kind: 'loopDelay' });
}

afterEach(async () => {
  fleet.drop();
  publisher.disconnect();
  await program.end();
});

async function expectAllAnswered(): Promise<void> {
  fleet.rest();
  await expect.poll(() => fleet.asked - fleet.answered, { timeout: 2_000 }).toBe(0);
  const told = new Set(fleet.machines.flatMap(({ device }) => device.commands.map(({ command }) => command.message)));
  expect([...told]).toEqual([null]);
}

async function expectAcknowledgedOnDisk(): Promise<void> {
  publisher.stop();
  await expect.poll(() => publisher.waiting, { timeout: 5_000 }).toBe(0);
  await program.kill();
  program = await Program.start({ dir: program.dir });
  const { body } = await program.api('GET', '/machines/M-0/variables/lineSpeed');
  const values: readonly number[] = body.points.map(({ value }: Json) => value);
  expect(new Set(values).size).toBe(publisher.published);
  expect(values).toHaveLength(publisher.published);
}

it('D-04, VAR-04 while the disk is held up for two seconds every status is answered, and no variable is acknowledged', async () => {
  await startUnderLoad();
  await program.ask({ kind: 'stallStore', forMs: STALL_MS });
  await pause(100);
  const acknowledged = publisher.acknowledged.length;
  await pause(STALL_MS - 300);
  expect(publisher.acknowledged.length).toBe(acknowledged);
  const { loopDelay } = await program.ask({ kind: 'loopDelay' });
  await expect.poll(() => publisher.acknowledged.length, { timeout: 3_000 }).toBeGreaterThan(acknowledged);
  const { loopDelay: after } = await program.ask({ kind: 'loopDelay' });
  console.info({ stalled: loopDelay, after });
  await expectAllAnswered();
  expect(loopDelay.p99Ms).toBeLessThan(P99_DELAY_MS);
  expect(Math.max(loopDelay.maxMs, after.maxMs)).toBeLessThan(MAX_DELAY_MS);
  expect((await program.api('GET', '/diagnostics')).body.counts).toEqual({});
  await expectAcknowledgedOnDisk();
}, 40_000);

it('VAR-04, DEV-12 a store thread that dies under load again and again is restarted, and no acknowledged value is lost', async () => {
  await startUnderLoad();
  for (let crash = 1; crash <= 3; crash++) {
    await program.ask({ kind: 'crashStore' });
    await expect
      .poll(async () => (await program.api('GET', '/diagnostics')).body.storage.threadRestarts, { timeout: 5_000 })
      .toBe(crash);
    const acknowledged = publisher.acknowledged.length;
    await expect.poll(() => publisher.acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(acknowledged + 100);
  }
  const { loopDelay } = await program.ask({ kind: 'loopDelay' });
  console.info({ crashed: loopDelay });
  await expectAllAnswered();
  expect(loopDelay.maxMs).toBeLessThan(MAX_DELAY_MS);
  expect((await program.get('/readyz')).status).toBe(200);
  await expectAcknowledgedOnDisk();
}, 40_000);
