import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { plantText } from '../../src/config/plant-file/plant-text.ts';
import { seededRandom } from '../../src/simulator/random.ts';
import { PROGRAM_FILE } from '../bundle-program.ts';
import { announceSeed, rounds } from '../rounds.ts';
import { NODE_COMPILE_CACHE, Program } from './program.ts';

/** Files that are loaded, with a kill at a random moment of each. */
const ROUNDS = rounds(9);

const programs: Program[] = [];

afterEach(async () => {
  for (const program of programs.splice(0)) {
    await program.end();
  }
});

async function start(dir?: string): Promise<Program> {
  const program = await Program.start(dir === undefined ? {} : { dir });
  programs.splice(0, programs.length, program);
  return program;
}

/** A command of the program beside the gateway that runs in this directory. */
function command(dir: string, ...words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const all = [PROGRAM_FILE, ...words, '--config', path.join(dir, 'plantgate.yaml')];
  const options = { cwd: dir, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NODE_COMPILE_CACHE } };
  return new Promise((resolve) => {
    execFile(process.execPath, all, options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

async function business(program: Program, key: string): Promise<number> {
  const headers = { authorization: `ApiKey ${key}` };
  return (await fetch(`http://127.0.0.1:${program.httpPort}/api/v1/coils`, { headers })).status;
}

describe('commands beside the running gateway', () => {
  it('AUTH-01 a new key is valid over a restart, and a revoked key stays invalid', async () => {
    const { dir } = await start();
    const made = await Promise.all(
      ['erp', 'pda'].map((name) => command(dir, 'key', 'create', '--principal', name, '--role', 'business')),
    );
    const [kept = '', gone = ''] = made.map(({ stdout }) => stdout.trim());
    expect(await command(dir, 'key', 'revoke', 'pda')).toMatchObject({ code: 0 });
    await programs[0]?.kill();
    const again = await start(dir);
    expect([await business(again, kept), await business(again, gone)]).toEqual([200, 401]);
    const listed = await command(dir, 'key', 'list', '--json');
    expect(JSON.parse(listed.stdout).map(({ principal }: { principal: string }) => principal)).toEqual(['erp', 'shop']);
  });

  it('the export of one gateway becomes the plant of another', { timeout: 60_000 }, async () => {
    const first = await start();
    const { stdout } = await command(first.dir, 'export');
    await first.kill();
    const dir = Program.prepare({ plant: 'parts: []' });
    const second = await start(dir);
    writeFileSync(path.join(dir, 'exported.yaml'), stdout);
    expect(await command(dir, 'apply', 'exported.yaml')).toMatchObject({ code: 0, stderr: '' });
    expect((await second.api('GET', '/machines')).body).toHaveLength(2);
    expect((await command(dir, 'export')).stdout).toBe(stdout);
    first.cleanUp();
  });

  it('apply loads the whole file or nothing, at any moment of a kill, and reports the outcome', {
    timeout: 180_000,
  }, async () => {
    const random = seededRandom(announceSeed('plant commands'));
    const { dir } = await start();
    const outcomes: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = Array.from({ length: 1_500 }, (_, index) => `R${round}-${index}`);
      const records = {
        parts: ids.map((partId) => ({ partId })),
        coils: ids.map((coilId) => ({ coilId, location: 'RF-01' })),
        profiles: ids.slice(0, 3).map((profileName) => ({ profileName, features: [{ type: 'Straight', length: 1 }] })),
        orders: ids.slice(0, 300).map((documentID) => ({ documentID, products: [] })),
      };
      const text = Object.entries(records).map(([kind, list]) => plantText(kind, list, false));
      writeFileSync(path.join(dir, 'round.yaml'), text.join(''));
      const applied = command(dir, 'apply', 'round.yaml');
      await delay(1_200 + random() * 1_800);
      await programs[0]?.kill();
      const { code } = await applied;
      const program = await start(dir);
      const found = async (kind: string) =>
        (await program.api('GET', `/plant/${kind}/${encodeURIComponent(`R${round}-1499`)}`)).status === 200;
      const held = async (kind: string, id: string) =>
        JSON.stringify((await program.api('GET', `/plant/${kind}?take=5000`)).body).includes(`"${id}"`);
      const present = await Promise.all([
        found('parts'),
        found('coils'),
        held('profiles', `R${round}-2`),
        held('orders', `R${round}-299`),
      ]);
      outcomes.push(`${code}: ${present.join(' ')}`);
    }
    for (const outcome of outcomes)
      expect(outcome).toMatch(/^(0: true true true true|69: (true true true true|false false false false))$/);
    const again = await command(dir, 'apply', 'round.yaml');
    expect(again.code).toBe(0);
    expect((await command(dir, 'apply', 'round.yaml', '--dry-run')).stdout).not.toMatch(/^[+~]/m);
  });
});
