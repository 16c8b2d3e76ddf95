import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { afterStart, isRealTimePermitted } from '../as-service.ts';
import { Program, statusOf } from './program.ts';

/** sched(7). */
const ORDINARY = '0';
const ROUND_ROBIN = '2';
const POLICY = 40;
const NOT_PERMITTED =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-sys_nice', '--inh-caps', '-sys_nice'] : [];

function policyOf(task: string): string | undefined {
  return readFileSync(`${task}/stat`, 'utf8').split(' ')[POLICY];
}

/** A gateway that has done the command of the unit behind these words. */
async function scheduled(under: readonly string[]) {
  const program = await Program.start({ isService: false });
  onTestFinished(() => program.end());
  const { pid = 0 } = program.process;
  const code = afterStart(pid, under);
  const { body } = await program.device('status', statusOf({ partId: 'P-100' }));
  expect(body).toMatchObject({ runEnabled: true });
  const tasks = readdirSync(`/proc/${pid}/task`).filter((task) => task !== String(pid));
  const others = new Set(tasks.map((task) => policyOf(`/proc/${pid}/task/${task}`)));
  return { code, main: policyOf(`/proc/${pid}`), others };
}

const isRaised = isRealTimePermitted() && availableParallelism() > 1;
const others = new Set([ORDINARY]);

it('the unit gives the main thread alone real time if the kernel permits it, so that it goes before the store thread', async () => {
  expect(await scheduled([])).toEqual({ code: isRaised ? 0 : 1, main: isRaised ? ROUND_ROBIN : ORDINARY, others });
});

it('the gateway also decides if the kernel refuses real time', async () => {
  const refused = ['prlimit', '--rtprio=0', ...NOT_PERMITTED];
  expect(await scheduled(refused)).toEqual({ code: availableParallelism() > 1 ? 1 : 0, main: ORDINARY, others });
});

it('on a single processor no thread gets real time', async () => {
  expect(await scheduled(['taskset', '--cpu-list', '0'])).toEqual({ code: 0, main: ORDINARY, others });
});
