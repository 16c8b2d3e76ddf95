import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeOutcome } from '../../../../src/cli/commands/update/requested/outcome-file.ts';
import { runRequestedUpdate } from '../../../../src/cli/commands/update/requested/requested-update.ts';
import { takeRequest } from '../../../../src/cli/commands/update/requested/take-request.ts';
import type { UpdateParts } from '../../../../src/cli/commands/update/update-parts.ts';
import { parseUpdateOutcome, REQUESTED_UPDATE } from '../../../../src/domain/update/update-outcome.ts';
import { fakeIo } from '../../program-under-test.ts';
import { type Behaviour, type FakeProgram, KEYS, OLD, type PowerCut, UpdateWorld } from './update-world.ts';

const NEW: FakeProgram = { ...OLD, version: '1.1.0' };
const stranger = generateKeyPairSync('ed25519').privateKey;

let world: UpdateWorld;
let request: string;
beforeEach(() => {
  world = new UpdateWorld();
  request = path.join(world.dataDir, REQUESTED_UPDATE);
  mkdirSync(path.dirname(world.places.trustedKeys), { recursive: true });
  const pem = KEYS.publicKey.export({ type: 'spki', format: 'pem' });
  writeFileSync(world.places.trustedKeys, pem, { mode: 0o644 });
});
afterEach(() => world.cleanUp());

/** The gateway leaves a request, as far as its user can. */
async function leave(program: FakeProgram = NEW, key = KEYS.privateKey): Promise<void> {
  await world.pack(program, process.arch, key);
  copyFileSync(world.archive, request);
}

async function apply(parts: Partial<UpdateParts> = {}) {
  const io = fakeIo();
  const exitCode = await runRequestedUpdate(5_000, { ...world.parts(), ...parts }, io);
  return { exitCode, io };
}

const outcome = () => parseUpdateOutcome(readFileSync(world.places.outcome, 'utf8'));
const isGone = () => lstatSync(request, { throwIfNoEntry: false }) === undefined;

describe('D-46 an update that the gateway asks root for', () => {
  it('is installed, and every user may read the outcome', async () => {
    await leave();
    expect(await apply()).toMatchObject({ exitCode: 0, io: { err: [] } });
    expect(outcome()).toMatchObject({ result: 'installed', from: '1.0.0', to: '1.1.0', reason: '' });
    expect({ installed: world.installed(), serving: world.serving, isGone: isGone() }).toEqual({
      installed: NEW,
      serving: '1.1.0',
      isGone: true,
    });
    const { outcome: file } = world.places;
    const modes = [file, path.dirname(file)].map((place) => statSync(place).mode & 0o777);
    expect(modes).toEqual([0o644, 0o755]);
  });

  it.each<readonly [string, () => Promise<void>, string]>([
    ['a link to an archive', async () => symlinkSync(world.archive, request), 'no plain file'],
    ['a second name of an archive', async () => linkSync(world.archive, request), 'no plain file with one name'],
    ['a FIFO', async () => void execFileSync('mkfifo', [request]), 'no plain file'],
    ['a directory', async () => void mkdirSync(request), 'no plain file'],
    ['a text file', async () => writeFileSync(request, 'x'.repeat(5_000)), 'no update archive'],
    ['an archive of a stranger', () => leave(NEW, stranger), 'no key that is trusted here'],
    ['an older version', () => leave({ ...NEW, version: '0.9.9' }), 'older than the installed 1.0.0'],
    ['the installed version', () => leave(OLD), 'is installed already'],
  ])('is refused as %s, and taken away', async (_, make, reason) => {
    await world.pack(NEW);
    await make();
    const { exitCode } = await apply();
    expect({ exitCode, acts: world.acts, isGone: isGone(), installed: world.installed() }).toEqual({
      exitCode: 65,
      acts: 0,
      isGone: true,
      installed: OLD,
    });
    expect(outcome()).toMatchObject({ result: 'refused', from: '1.0.0', reason: expect.stringContaining(reason) });
  });

  it('is refused if other users may write the trusted keys', async () => {
    await leave();
    execFileSync('chmod', ['0666', world.places.trustedKeys]);
    expect((await apply()).exitCode).toBe(77);
    expect(outcome()).toMatchObject({ result: 'refused', to: null, reason: expect.stringContaining('chmod 0644') });
  });

  it('installs the verified bytes, even if the gateway writes into its open file', async () => {
    await leave();
    const kept = openSync(request, 'r+');
    const half = Math.floor(statSync(request).size / 2);
    // The new program has been verified and laid ready when it is asked for its version.
    const versionOf = (file: string) => {
      writeSync(kept, 'another program', half);
      return world.parts().versionOf?.(file) ?? null;
    };
    expect((await apply({ versionOf })).exitCode).toBe(0);
    expect(world.installed()).toEqual(NEW);
    closeSync(kept);
  });

  it('is refused if the gateway changes it while it is read', async () => {
    await leave();
    const kept = openSync(request, 'r+');
    const { places } = world;
    const parts = world.parts();
    const watched = {
      ...places,
      // Read when the signature is right and before the program is copied.
      get next() {
        writeSync(kept, 'another program', statSync(world.archive).size - 40);
        return places.next;
      },
    };
    expect((await apply({ ...parts, places: watched })).exitCode).toBe(65);
    expect(outcome()).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('not the one that was signed'),
    });
    expect(world.installed()).toEqual(OLD);
    closeSync(kept);
  });

  it.each<readonly [Behaviour, Partial<UpdateParts>, number, string]>([
    ['hangs', {}, 69, 'rolledBack'],
    ['crashes', { servingVersion: async () => null }, 70, 'unfinished'],
  ])('is reported if the new version %s', async (behaviour, parts, exitCode, result) => {
    await leave({ ...NEW, behaviour });
    expect((await apply(parts)).exitCode).toBe(exitCode);
    expect(outcome()).toMatchObject({ result, to: '1.1.0', reason: expect.stringContaining('does not serve') });
    expect(world.installed()).toEqual(OLD);
  });

  it('changes nothing if no backup could be taken', async () => {
    await leave();
    expect((await apply({ backUp: async () => 69 })).exitCode).toBe(69);
    expect(outcome()).toMatchObject({ result: 'refused', reason: expect.stringContaining('nothing was updated') });
  });

  it('changes nothing without a request, or if the gateway takes it back while root opens it', async () => {
    expect(await apply()).toMatchObject({ exitCode: 0, io: { out: [expect.stringContaining('No update')] } });
    expect(existsSync(world.places.outcome)).toBe(false);
    await leave();
    const taking = takeRequest(request);
    rmSync(request);
    expect(await taking).toBeNull();
  });

  it.each([
    ['rolledBack', '1.0.0', 'interrupted', 6],
    ['installed', '1.1.0', '', 10],
  ] as const)('is reported as %s after a power cut', async (result, version, reason, act) => {
    await world.pack(NEW);
    expect(await cutAt({ act, when: 'before' })).toBe(true);
    expect(world.serving).toBe(version);
    expect(outcome()).toMatchObject({ result, to: '1.1.0', reason: expect.stringContaining(reason) });
  });

  it.each([
    ['serves', 'installed', ''],
    ['hangs', 'rolledBack', 'does not serve'],
  ] as const)('that %s is reported after a power cut at any step', async (behaviour, end, reason) => {
    for (const when of ['before', 'after'] as const) {
      // The journal is there from this act on.
      for (let act = 6, isCut = true; isCut; act += 1) {
        await world.pack({ ...NEW, behaviour });
        isCut = await cutAt({ act, when });
        const result = world.serving === '1.1.0' ? 'installed' : 'rolledBack';
        expect({ act, ...outcome() }).toMatchObject({ act, result });
        if (!isCut) expect(outcome()).toMatchObject({ result: end, reason: expect.stringContaining(reason) });
        world.cleanUp();
        world = new UpdateWorld();
      }
    }
  });
});

/** Updates with a cut, after the page was told that the update is under way, and starts the computer. */
async function cutAt(cut: PowerCut): Promise<boolean> {
  const at = new Date(0).toISOString();
  writeOutcome(world.places.outcome, { result: 'underWay', from: '1.0.0', to: '1.1.0', reason: '', at });
  world.cutPower(cut);
  const isCut = (await world.update()) === null;
  if (isCut) await world.boot();
  return isCut;
}
