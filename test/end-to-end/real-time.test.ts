import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { isRealTimePermitted, WITHOUT_REAL_TIME } from '../real-time-permission.ts';
import { Program, statusOf } from './program.ts';

/** sched(7). */
const ORDINARY = 0;
const ROUND_ROBIN = 2;
const NAME = 1;
const NICENESS = 18;
const PRIORITY = 39;
const POLICY = 40;
/** The store thread, then the watching thread. */
const WORKER_THREAD = '(WorkerThread)';
const WORKER_THREADS = 2;

function schedulingOf(task: string) {
  const fields = readFileSync(`${task}/stat`, 'utf8').split(' ');
  const of = (place: number) => Number(fields[place]);
  return { name: fields[NAME], niceness: of(NICENESS), realTime: [of(PRIORITY), of(POLICY)] };
}

async function scheduled(under: readonly string[]) {
  const program = await Program.start({ under });
  onTestFinished(async () => {
    await program.kill();
    program.cleanUp();
  });
  const { body } = await program.device('status', statusOf({ partId: 'P-100' }));
  // Machines are answered before it.
  await expect.poll(() => program.log.join('\n')).toContain('main thread');
  const { pid } = program.process;
  const tasks = () => readdirSync(`/proc/${pid}/task`).filter((task) => task !== String(pid));
  const scheduling = () => tasks().map((task) => schedulingOf(`/proc/${pid}/task/${task}`));
  const workers = () => scheduling().filter(({ name }) => name === WORKER_THREAD);
  await expect.poll(() => workers().length).toBe(WORKER_THREADS);
  const main = schedulingOf(`/proc/${pid}`);
  return {
    answer: body,
    main: main.realTime,
    others: new Set(scheduling().map(({ realTime }) => realTime[1])),
    niceness: [main.niceness, ...workers().map(({ niceness }) => niceness)],
    log: program.log.join('\n'),
  };
}

const mayBeNice = spawnSync('nice', ['-n', '-10', 'nice'], { encoding: 'utf8' }).stdout.trim() === '-10';
// The main thread, the store thread, and the one that watches both: it does next to nothing.
const PREFERRED = mayBeNice ? [-10, -10, -10] : [0, 0, 0];
const isRaised = isRealTimePermitted() && availableParallelism() > 1;
const WAITS = { main: [0, ORDINARY], others: new Set([ORDINARY]) };

it('the main thread alone runs in real time if the kernel permits; storing goes before other programs', async () => {
  const { answer, main, others, niceness, log } = await scheduled([]);
  expect(answer).toMatchObject({ runEnabled: true });
  expect({ main, others }).toEqual(isRaised ? { ...WAITS, main: [10, ROUND_ROBIN] } : WAITS);
  expect(niceness).toEqual(PREFERRED);
  expect(log).toContain(isRaised ? 'main thread runs in real time' : '"obstacle":');
});

it('the gateway also decides without the kernel’s permission, and names the obstacle', async () => {
  const { answer, main, others, niceness, log } = await scheduled(WITHOUT_REAL_TIME);
  expect(answer).toMatchObject({ runEnabled: true });
  expect({ main, others, niceness }).toEqual({ ...WAITS, niceness: [0, 0, 0] });
  expect(log).toMatch(/"obstacle":".*not permitted/);
  expect(log).toMatch(/"nicenessObstacle":".*EACCES/);
  expect(log).toContain('main thread waits for a processor like everything else');
});

it('the gateway also decides on a single processor, and then does not run in real time', async () => {
  const { answer, main, niceness, log } = await scheduled(['taskset', '--cpu-list', '0']);
  expect(answer).toMatchObject({ runEnabled: true });
  expect({ main, niceness }).toEqual({ main: WAITS.main, niceness: PREFERRED });
  expect(log).toContain('"obstacle":"there is one processor alone"');
});

it('the gateway also decides without chrt', async () => {
  const { answer, niceness, log } = await scheduled(['env', 'PATH=/nowhere']);
  expect(answer).toMatchObject({ runEnabled: true });
  expect(niceness).toEqual(PREFERRED);
  expect(log).toContain('"obstacle":"spawn chrt ENOENT"');
});
