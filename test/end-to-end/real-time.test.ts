import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { isRealTimePermitted, WITHOUT_REAL_TIME } from '../real-time-permission.ts';
import { Program, statusOf } from './program.ts';

/** sched(7). */
const ORDINARY = 0;
const ROUND_ROBIN = 2;
const PRIORITY_AND_POLICY = [39, 40] as const;

function schedulingOf(task: string): readonly (number | undefined)[] {
  const fields = readFileSync(`${task}/stat`, 'utf8').split(' ').map(Number);
  return PRIORITY_AND_POLICY.map((place) => fields[place]);
}

async function scheduled(under: readonly string[]) {
  const program = await Program.start({ under });
  onTestFinished(async () => {
    await program.kill();
    program.cleanUp();
  });
  const { body } = await program.device('status', statusOf({ partId: 'P-100' }));
  const { pid } = program.process;
  const others = readdirSync(`/proc/${pid}/task`).filter((task) => task !== String(pid));
  return {
    answer: body,
    main: schedulingOf(`/proc/${pid}`),
    others: new Set(others.map((task) => schedulingOf(`/proc/${pid}/task/${task}`)[1])),
    log: program.log.join('\n'),
  };
}

const isRaised = isRealTimePermitted() && availableParallelism() > 1;
const WAITS = { main: [0, ORDINARY], others: new Set([ORDINARY]) };

it('DEV-10 decides before everything else where the kernel permits, by the main thread alone', async () => {
  const { answer, main, others, log } = await scheduled([]);
  expect(answer).toMatchObject({ runEnabled: true });
  expect({ main, others }).toEqual(isRaised ? { ...WAITS, main: [10, ROUND_ROBIN] } : WAITS);
  expect(log).toContain(isRaised ? 'main thread runs in real time' : 'waits for a processor');
});

it('DEV-10 decides where the kernel permits no real time, and says why it waits like everything else', async () => {
  const { answer, main, others, log } = await scheduled(WITHOUT_REAL_TIME);
  expect(answer).toMatchObject({ runEnabled: true });
  expect({ main, others }).toEqual(WAITS);
  expect(log).toMatch(/"obstacle":".*not permitted/);
});

it('DEV-10 decides on one processor alone, which it leaves to its other threads as well', async () => {
  const { answer, main, log } = await scheduled(['taskset', '--cpu-list', '0']);
  expect(answer).toMatchObject({ runEnabled: true });
  expect(main).toEqual(WAITS.main);
  expect(log).toContain('"obstacle":"there is one processor alone"');
});

it('DEV-10 decides where there is no chrt', async () => {
  const { answer, log } = await scheduled(['env', 'PATH=/nowhere']);
  expect(answer).toMatchObject({ runEnabled: true });
  expect(log).toContain('"obstacle":"spawn chrt ENOENT"');
});
