import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeProgram, KEYS, OLD, UpdateWorld } from './update-world.ts';

let world: UpdateWorld;
beforeEach(() => {
  world = new UpdateWorld();
});
afterEach(() => world.cleanUp());

const NEW: FakeProgram = { version: '1.1.0', schema: OLD.schema, behaviour: 'serves' };
const MIGRATING: FakeProgram = { ...NEW, schema: OLD.schema + 2 };

/** The files that an update leaves outside its own places. */
function leftovers(): readonly string[] {
  const { next, journal, copy } = world.places;
  return [next, journal, copy, `${copy}.tulsa`].filter((file) => existsSync(file));
}

describe('plantgate update', () => {
  it.each([
    ['of the same schema', NEW],
    ['that changes the schema', MIGRATING],
  ])('installs a version %s, and keeps the previous program and a backup', async (_, program) => {
    await world.pack(program);
    const ran = await world.update();
    expect({ exitCode: ran?.exitCode, err: ran?.io.err }).toEqual({ exitCode: 0, err: [] });
    expect(world.installed()).toEqual(program);
    expect(world.serving).toBe('1.1.0');
    expect(JSON.parse(readFileSync(world.places.previous, 'utf8'))).toMatchObject(OLD);
    expect(existsSync(world.places.backup)).toBe(true);
    expect(leftovers()).toEqual([]);
    expect(world.records()).toEqual(['1.0.0 serves', '1.0.0 after the backup', '1.1.0 serves']);
  });

  it.each([
    ['of the same schema leaves none', NEW, null],
    ['that changes the schema leaves the copy of the database', MIGRATING, 'SQLite format 3'],
  ])(
    'takes no backup while no gateway serves; a version %s, and an earlier backup is not taken for it',
    async (_, program, left) => {
      const { backup } = world.places;
      await world.pack(NEW);
      await world.update();
      await world.pack({ ...program, version: '1.2.0' });
      const { servingVersion } = world.parts();
      let asked = 0;
      const ran = await world.update({}, { servingVersion: async () => (++asked === 1 ? null : servingVersion()) });
      expect(ran?.io.out.join(' ')).toContain('No gateway serves, so no backup is taken');
      expect(world.serving).toBe('1.2.0');
      expect(existsSync(backup) ? readFileSync(backup, 'latin1').slice(0, 15) : null).toBe(left);
      expect(readFileSync(`${backup}.earlier`, 'utf8')).toBe('a backup');
    },
  );

  it.each([
    ['hangs', NEW.schema, 'did not serve within 5 s'],
    ['hangs', MIGRATING.schema, 'did not serve within 5 s'],
    ['crashes', NEW.schema, 'ended 3 times'],
    ['crashes', MIGRATING.schema, 'ended 3 times'],
    ['failsMigration', MIGRATING.schema, 'ended 3 times'],
    ['says78', NEW.schema, 'given it up'],
  ] as const)('D-43 D-108 rolls back a version that %s with schema %i', async (behaviour, schema, reason) => {
    await world.pack({ ...NEW, schema, behaviour });
    const ran = await world.update();
    expect(ran).toMatchObject({ exitCode: 69 });
    expect(ran?.io.err.join('\n')).toMatch(new RegExp(`${reason}[^]*Version 1.0.0 is back and serves`));
    expect(world.installed()).toEqual(OLD);
    expect({ serving: world.serving, schema: world.schema() }).toEqual({ serving: '1.0.0', schema: OLD.schema });
    expect(world.acknowledged).toContain('1.0.0 after the backup');
    expect(world.records()).toEqual(world.acknowledged);
    expect(leftovers()).toEqual([]);
    const kept = readdirSync(world.dataDir).filter((name) => name.includes('before-restore'));
    expect(kept.length).toBe(schema === OLD.schema || behaviour === 'says78' ? 0 : 1);
    await world.pack(NEW);
    expect(await world.update()).toMatchObject({ exitCode: 0 });
  });

  it('says so if the previous version does not serve any more either', async () => {
    await world.pack({ ...NEW, behaviour: 'crashes' });
    const broken = { ...world.parts(), servingVersion: async () => null };
    const ran = await world.update({}, broken);
    expect(ran?.exitCode).toBe(70);
    expect(ran?.io.err.join('\n')).toContain('Version 1.0.0 is back and does not serve either');
    expect(world.installed()).toEqual(OLD);
  });

  it('gives the way to settle an update that cannot be undone, and starts the service', async () => {
    await world.pack({ ...MIGRATING, behaviour: 'crashes' });
    const { disk, ...parts } = world.parts();
    const full: typeof disk = {
      ...disk,
      write: (file, text) => {
        if (text.includes('undoing')) throw new Error('ENOSPC: no space left on device');
        disk.write(file, text);
      },
    };
    const ran = await world.update({}, { ...parts, disk: full });
    expect(ran?.exitCode).toBe(70);
    expect(ran?.io.err.at(-1)).toMatch(/unfinished: ENOSPC.*"plantgate.previous update --resume"/);
    await world.boot();
    expect({ installed: world.installed(), serving: world.serving }).toEqual({ installed: OLD, serving: '1.0.0' });
    expect(world.records()).toEqual(world.acknowledged);
  });

  describe('whose roll-back fails', () => {
    /** Updates to a version that hangs and changes the schema. The disk is full when the roll-back comes to this act. */
    async function failToRollBack(at: 'restore' | 'removal'): Promise<void> {
      await world.pack({ ...MIGRATING, behaviour: 'hangs' });
      const { disk, ...parts } = world.parts();
      const noRoom = () => new Error('ENOSPC: no space left on device');
      const full: typeof disk = {
        ...disk,
        write: (file, text) => {
          disk.write(file, text);
          if (at === 'restore' && text.includes('undoing')) throw noRoom();
        },
        remove: (file) => {
          if (at === 'removal' && file === world.places.copy) throw noRoom();
          disk.remove(file);
        },
      };
      expect(await world.update({}, { ...parts, disk: full })).toMatchObject({ exitCode: 70 });
    }

    it('D-42 keeps the new version and its records if that serves later', async () => {
      await failToRollBack('restore');
      expect(world.serving).toBeNull();
      writeFileSync(world.places.binary, JSON.stringify(MIGRATING));
      world.start();
      expect(world.acknowledged.at(-1)).toBe('1.1.0 serves');
      const booted = await world.boot();
      expect(booted?.io.out).toEqual(['Version 1.1.0 had served already, so it stays.']);
      expect({ installed: world.installed(), serving: world.serving }).toEqual({
        installed: MIGRATING,
        serving: '1.1.0',
      });
      expect(world.records()).toEqual(world.acknowledged);
      expect(leftovers()).toEqual([]);
    });

    it('brings the previous version back if the new one does not serve later either', async () => {
      await failToRollBack('restore');
      await world.boot();
      expect({ installed: world.installed(), serving: world.serving }).toEqual({ installed: OLD, serving: '1.0.0' });
      expect(world.records()).toEqual(world.acknowledged);
    });

    it('says that the previous version is back if that is in place and has served since', async () => {
      await failToRollBack('removal');
      expect({ installed: world.installed(), serving: world.serving }).toEqual({ installed: OLD, serving: '1.0.0' });
      const booted = await world.boot();
      expect(booted?.io.out).toEqual(['Version 1.0.0 is back, as before the update. Run the update again.']);
      expect(world.records()).toEqual(world.acknowledged);
      expect(leftovers()).toEqual([]);
    });
  });

  const older = { ...NEW, version: '0.9.9' };
  it.each<readonly [string, FakeProgram, { allowDowngrade?: boolean }, string]>([
    ['the installed version', { ...NEW, version: '1.0.0' }, {}, 'version 1.0.0 is installed already'],
    [
      'an older version',
      older,
      {},
      'older than the installed 1.0.0: "plantgate update FILE --allow-downgrade" permits that',
    ],
    ['a program that is not what the archive says', { ...NEW, version: '1.2.0' }, {}, 'does not run here'],
  ])('refuses %s before it touches anything', async (_, program, options, sentence) => {
    await world.pack(program);
    const parts = program.version === '1.2.0' ? { versionOf: () => null } : {};
    const ran = await world.update(options, parts);
    expect(ran).toMatchObject({ exitCode: 65, io: { err: [expect.stringContaining(sentence)] } });
    expect({ acts: world.acts, serving: world.serving }).toEqual({ acts: 0, serving: '1.0.0' });
    expect(leftovers()).toEqual([]);
  });

  it('refuses another architecture, an unknown key and a file that is no archive', async () => {
    await world.pack(NEW, 'riscv64');
    expect((await world.update())?.io.err.join()).toContain('it is for riscv64, and this computer is');
    await world.pack(NEW, process.arch, generateKeyPairSync('ed25519').privateKey);
    expect((await world.update())?.io.err.join()).toContain('no key that is trusted here has signed it');
    writeFileSync(world.archive, 'x'.repeat(5_000));
    expect((await world.update())?.io.err.join()).toContain('no update archive of plantgate');
    rmSync(world.archive);
    expect(await world.update()).toMatchObject({ exitCode: 74, io: { err: [expect.stringContaining('ENOENT')] } });
    expect(world.acts).toBe(0);
  });

  it('permits a downgrade to a version that knows the schema', async () => {
    await world.pack(older);
    expect(await world.update({ allowDowngrade: true })).toMatchObject({ exitCode: 0 });
    expect(world.serving).toBe('0.9.9');
  });

  it('keeps the previous version if the database turns out to be too new', async () => {
    world.database((connection) => connection.pragma(`user_version = ${MIGRATING.schema}`));
    await world.pack(NEW);
    const ran = await world.update();
    expect(ran?.io.err.join('\n')).toContain(`it has schema ${MIGRATING.schema} already`);
    expect(world.installed()).toEqual(OLD);
  });

  it('touches nothing with --check', async () => {
    await world.pack(NEW);
    const ran = await world.update({ checkOnly: true });
    expect(ran).toMatchObject({
      exitCode: 0,
      io: { out: [expect.stringContaining('whole and signed: version 1.1.0')] },
    });
    const forPrograms = await world.update({ checkOnly: true, json: true });
    expect(JSON.parse(forPrograms?.io.out.join('') ?? '')).toMatchObject({ version: '1.1.0', verified: true });
    expect({ acts: world.acts, isStaged: existsSync(world.places.next) }).toEqual({ acts: 0, isStaged: false });
  });

  it.each([
    ['the installed version', OLD, process.arch, /^It would not be installed here: version .* is installed already/],
    ['another architecture', NEW, 'riscv64', /^It would not be installed here: it is for riscv64/],
  ])('only verifies %s with --check, and calls a tampered archive tampered', async (_, program, arch, told) => {
    await world.pack(program, arch);
    expect(await world.update({ checkOnly: true })).toMatchObject({
      exitCode: 0,
      io: { out: [expect.stringContaining('is whole and signed'), expect.stringMatching(told)], err: [] },
    });
    const bytes = readFileSync(world.archive);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 2) ^ 1, bytes.length - 2);
    writeFileSync(world.archive, bytes);
    const { exitCode, io } = (await world.update({ checkOnly: true })) ?? {};
    expect({ exitCode, out: io?.out }).toEqual({ exitCode: 65, out: [] });
    expect(io?.err.join('')).toContain('its program is not the one that was signed');
  });

  it('changes nothing without a backup, or while another update is under way or unsettled', async () => {
    await world.pack(NEW);
    expect(await world.update({}, { backUp: async () => 74 })).toMatchObject({ exitCode: 74 });
    expect({ installed: world.installed(), left: leftovers() }).toEqual({ installed: OLD, left: [] });
    let inner: Awaited<ReturnType<typeof world.update>> = null;
    const backUp = async () => {
      inner = await world.update();
      return 74;
    };
    await world.update({}, { backUp });
    expect(inner).toMatchObject({
      exitCode: 75,
      io: { err: [expect.stringContaining('is under way: wait until it has ended')] },
    });
    world.cutPower({ act: 9, when: 'after' });
    expect(await world.update()).toBe(null);
    world.cutPower(null);
    expect(await world.update()).toMatchObject({ exitCode: 75, io: { err: [expect.stringContaining('--resume')] } });
  });

  it('replaces only the program in an image', async () => {
    await world.pack(NEW);
    const ran = await world.update({}, { service: null, versionOf: null });
    expect(ran).toMatchObject({ exitCode: 0, io: { out: [expect.stringContaining('is version 1.1.0 now')] } });
    expect({ installed: world.installed(), left: leftovers() }).toEqual({ installed: NEW, left: [] });
  });

  it('takes the program from the archive that it has verified, even if the file is replaced later', async () => {
    await world.pack(NEW);
    const swapped: FakeProgram = { ...NEW, behaviour: 'crashes' };
    const backUp = async (file: string) => {
      await world.pack(swapped, process.arch, generateKeyPairSync('ed25519').privateKey);
      writeFileSync(file, 'a backup');
      return 0;
    };
    expect(await world.update({}, { backUp })).toMatchObject({ exitCode: 0 });
    expect(world.installed()).toEqual(NEW);
    expect(KEYS.publicKey.asymmetricKeyType).toBe('ed25519');
  });
});
