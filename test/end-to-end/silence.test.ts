import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, Program } from './program.ts';
import { Fleet, fleetPlant, type RawDevice } from './raw-device.ts';

const MACHINES = 2_000;
const TIMEOUT_MS = 10_000;
const TOLD_WITHIN_MS = 10_250;
const SERVED_WITHIN_MS = 3_000;
/** Thousands of commands come at once: some wait longer than others for this process to read them. */
const READING_MS = 300;
const MAX_LOOP_DELAY_MS = 250;
const NOT_RESPONDING = 'Device not responding';

let program: Program;
let fleet: Fleet;

beforeAll(async () => {
  program = await Program.start({ plant: fleetPlant(MACHINES), atHand: true });
  fleet = await Fleet.open(program.mqttPort, MACHINES);
}, 60_000);

afterAll(async () => {
  fleet.drop();
  await program.end();
});

function count(message: string | null): number {
  return fleet.machines.filter(({ device }) => device.commands.at(-1)?.command.message === message).length;
}

function lastCommandAt({ commands }: RawDevice, message: string | null): number {
  return commands.findLast(({ command }) => command.message === message)?.at ?? Number.NaN;
}

function spread(durationsMs: readonly number[]) {
  const sorted = [...durationsMs].sort((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN);
  return { first: at(0), median: at(0.5), p99: at(0.99), last: at(1) };
}

it(`DEV-10 ${MACHINES} machines fall silent at once: each gets its command between 10.00 and 10.25 s after its own last status`, async () => {
  for (const machine of fleet.machines) machine.ask();
  await expect.poll(() => count(null), { timeout: 5_000 }).toBe(MACHINES);
  await program.ask({ kind: 'loopDelay' });
  await expect.poll(() => count(NOT_RESPONDING), { timeout: 12_000 }).toBe(MACHINES);
  const { loopDelay } = await program.ask({ kind: 'loopDelay' });
  // The gateway reads a status after it is sent and before it is answered: at least and at most this long ago.
  const sinceSentMs = fleet.machines.map(({ device, askedAt }) => lastCommandAt(device, NOT_RESPONDING) - askedAt);
  const sinceAnsweredMs = fleet.machines.map(
    ({ device }) => lastCommandAt(device, NOT_RESPONDING) - lastCommandAt(device, null),
  );
  console.info({ sinceSentMs: spread(sinceSentMs), sinceAnsweredMs: spread(sinceAnsweredMs), loopDelay });
  expect(Math.min(...sinceSentMs)).toBeGreaterThanOrEqual(TIMEOUT_MS);
  expect(Math.max(...sinceAnsweredMs)).toBeLessThanOrEqual(TOLD_WITHIN_MS + READING_MS);
  expect(loopDelay.maxMs).toBeLessThan(MAX_LOOP_DELAY_MS);
  const { body } = await program.api('GET', '/machines');
  expect(new Set(body.map(({ activity }: Json) => activity))).toEqual(new Set(['offline']));
}, 30_000);

it(`DEV-10, MQTT-10 ${MACHINES} machines reconnect at once: all are served within 3 s, and none counts as silent`, async () => {
  for (const machine of fleet.machines) machine.ask();
  await expect.poll(() => count(null), { timeout: 5_000 }).toBe(MACHINES);
  fleet.drop();
  await program.ask({ kind: 'loopDelay' });
  const from = performance.now();
  fleet.comeBack(program.mqttPort);
  await expect.poll(() => fleet.answered, { timeout: 10_000, interval: 20 }).toBeGreaterThanOrEqual(MACHINES);
  const servedAfterMs = fleet.machines.map(({ device }) => (device.commands[0]?.at ?? Number.NaN) - from);
  const { loopDelay } = await program.ask({ kind: 'loopDelay' });
  console.info({ servedAfterMs: spread(servedAfterMs), loopDelay });
  expect(Math.max(...servedAfterMs)).toBeLessThanOrEqual(SERVED_WITHIN_MS);
  await pause(2_000);
  const told = new Set(fleet.machines.flatMap(({ device }) => device.commands.map(({ command }) => command.message)));
  expect([...told]).toEqual([null]);
}, 30_000);
