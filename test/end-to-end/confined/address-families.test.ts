import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODE_COMPILE_CACHE, Program, statusOf } from '../program.ts';

const UNIT = path.resolve(import.meta.dirname, '../../../systemd/plantgate.service');
/** Numbers that Linux gives them (`linux/socket.h`). */
const FAMILIES: Readonly<Record<string, number>> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 };

const folder = mkdtempSync(path.join(tmpdir(), 'plantgate-confined-'));
const launcher = path.join(folder, 'only-families');

beforeAll(() => {
  execFileSync('gcc', ['-o', launcher, path.join(import.meta.dirname, 'only-families.c')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function allowedByUnit(): readonly string[] {
  return /^RestrictAddressFamilies=(.+)$/m.exec(readFileSync(UNIT, 'utf8'))?.[1]?.split(' ') ?? [];
}

/** The program with sockets of these families alone, as systemd runs it. */
async function confinedTo(families: readonly string[], work: (program: Program) => Promise<void>): Promise<void> {
  const numbers = families.map((family) => FAMILIES[family]);
  // Only a gateway that others can reach is found by name.
  const environment = { ...process.env, NODE_COMPILE_CACHE, PLANTGATE_HTTP_HOST: '0.0.0.0' };
  const program = await Program.start({ under: [launcher, numbers.join(',')], environment });
  try {
    await work(program);
  } finally {
    await program.end();
  }
}

/** The status of the answer to a request for another host. */
function askedForAnotherHost({ httpPort }: Program): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ port: httpPort, host: '127.0.0.1', headers: { host: 'other.example' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once('error', reject).end();
  });
}

/** The kinds of faults that are the gateway's own. */
async function faults(program: Program): Promise<readonly string[]> {
  const { counts } = (await program.api('GET', '/diagnostics')).body;
  return ['internal', 'discovery', 'store'].filter((kind) => counts[kind] > 0);
}

describe('the address families that the unit file allows', () => {
  it('suffice: machines and people are answered, and nothing fails inside', async () => {
    await confinedTo(allowedByUnit(), async (program) => {
      expect(await program.device('status', statusOf())).toMatchObject({ status: 200 });
      expect(await askedForAnotherHost(program)).toBe(421);
      await expect.poll(() => program.log.join('\n'), { timeout: 15_000 }).toMatch(/plantgate(-\d)?\.local/);
      expect(await faults(program)).toEqual([]);
    });
  });

  it('need AF_NETLINK among them: without it the gateway cannot be found by name', async () => {
    const others = allowedByUnit().filter((family) => family !== 'AF_NETLINK');
    expect(others).toEqual(['AF_INET', 'AF_INET6', 'AF_UNIX']);
    await confinedTo(others, async (program) => {
      expect(await program.device('status', statusOf())).toMatchObject({ status: 200 });
      await expect.poll(() => faults(program), { timeout: 15_000 }).toEqual(['discovery']);
    });
  });
});
