import { generateKeyPairSync } from 'node:crypto';
import fs, { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { allCommands } from '../../../../build/all-commands.ts';
import { writeUpdate } from '../../../../build/update-archive.ts';
import { NEWEST_SCHEMA } from '../../../../src/adapters/store/thread/database/migrations.ts';
import { runInstall } from '../../../../src/cli/commands/service/install.ts';
import { installationIn } from '../../../../src/cli/commands/service/installation.ts';
import { runUninstall } from '../../../../src/cli/commands/service/uninstall.ts';
import { serviceFailure } from '../../../../src/cli/commands/update/update-command.ts';
import { updatePlaces } from '../../../../src/cli/commands/update/update-places.ts';
import { parseUpdateOutcome, REQUESTED_UPDATE } from '../../../../src/domain/update/update-outcome.ts';
import { asNobody, fakeIo, programUnderTest } from '../../program-under-test.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const source = { version: '99.0.0', arch: process.arch as string, schema: NEWEST_SCHEMA, created: new Date(0) };

let cli: ReturnType<typeof programUnderTest>;
let image: string;
let archive: string;
beforeEach(async () => {
  cli = programUnderTest();
  image = path.join(cli.dir, 'image');
  mkdirSync(path.join(image, 'etc'), { recursive: true });
  for (const name of ['passwd', 'group', 'shadow']) writeFileSync(path.join(image, 'etc', name), '');
  const binary = path.join(cli.dir, 'program');
  writeFileSync(binary, 'the old program');
  await runInstall({ root: image, binary, commands: allCommands() }, fakeIo());
  writeFileSync(binary, 'the new program');
  archive = path.join(cli.dir, 'new.update');
  await writeUpdate(archive, { ...source, binary }, privateKey);
});
afterEach(() => cli.cleanUp());

const places = () => updatePlaces(installationIn(image));
const update = (...words: readonly string[]) => cli.run('update', ...words, '--root', image);
const trust = () => writeFileSync(places().trustedKeys, publicKey.export({ type: 'spki', format: 'pem' }));

describe('plantgate update on the command line', () => {
  it('updates an image only if its root trusts the key', async () => {
    expect(await update(archive)).toMatchObject({
      exitCode: 65,
      err: [expect.stringContaining('no key that is trusted')],
    });
    trust();
    expect(await update('--check', archive)).toMatchObject({ exitCode: 0, err: [] });
    expect(readFileSync(places().binary, 'utf8')).toBe('the old program');
    expect(await update(archive)).toMatchObject({ exitCode: 0, err: [] });
    expect(readFileSync(places().binary, 'utf8')).toBe('the new program');
    expect(readFileSync(places().previous, 'utf8')).toBe('the old program');
  });

  it.each([
    [[], 64, 'Give the archive to install, or --resume alone'],
    [['a.update', '--resume'], 64, 'Give the archive to install, or --resume alone'],
    [['a.update', '--json'], 64, '--json only with --check'],
    [['a.update', '--requested'], 64, 'or --requested alone'],
    [['--resume', '--requested'], 64, 'or --requested alone'],
    [['--requested', '--check'], 64, 'or --requested alone'],
    [['--requested', '--allow-downgrade'], 64, 'or --requested alone'],
    [['a.update', '--wait', 'long'], 64, '--wait: found "long", expected a whole number'],
    [['a.update'], 74, 'a.update was not installed: ENOENT'],
  ])('answers %j with %i', async (words, exitCode, sentence) => {
    expect(await update(...words)).toMatchObject({ exitCode, err: [expect.stringContaining(sentence)] });
  });

  it('settles nothing if no update was interrupted', async () => {
    expect(await update('--resume')).toMatchObject({
      exitCode: 0,
      out: [expect.stringContaining('Nothing was changed')],
    });
  });

  it('settles an update also if the settings of the page are damaged', async () => {
    writeFileSync(installationIn(image).config, `dataDir: ${cli.dir}\n`);
    writeFileSync(path.join(cli.dir, 'settings.json'), '{"shifts":');
    expect(await update('--resume')).toMatchObject({ exitCode: 0, err: [] });
    expect(await update('a.update')).toMatchObject({ exitCode: 78, err: [expect.stringContaining('settings.json')] });
  });

  it('D-46 installs the update in the data directory of the gateway, and reports the outcome', async () => {
    trust();
    const { dataDir } = installationIn(image);
    const requested = path.join(dataDir, REQUESTED_UPDATE);
    expect(await update('--requested')).toMatchObject({ exitCode: 0, out: [expect.stringContaining('No update')] });
    renameSync(archive, requested);
    writeFileSync(path.join(cli.dir, 'plantgate.yaml'), 'dataDir: /var/lib/plantgate\n');
    expect(await update('--requested')).toMatchObject({ exitCode: 0, err: [] });
    expect(readFileSync(places().binary, 'utf8')).toBe('the new program');
    expect(existsSync(requested)).toBe(false);
    expect(parseUpdateOutcome(readFileSync(places().outcome, 'utf8'))).toMatchObject({
      result: 'installed',
      to: '99.0.0',
    });
  });

  const faulty = () => writeFileSync(installationIn(image).config, 'http: { port: many }\n');
  const packaged = () => {
    const unit = path.join(image, 'usr/lib/systemd/system/plantgate.service');
    mkdirSync(path.dirname(unit), { recursive: true });
    writeFileSync(unit, '');
  };
  it.each([
    ['an archive', 'under a faulty configuration', 78, '"many"', faulty],
    ['a directory', 'under a faulty configuration', 78, '"many"', faulty],
    ['an archive', 'where the configuration is missing', 69, 'missing', () => rmSync(installationIn(image).config)],
    ['an archive', 'where a package has installed the program', 73, 'package manager', packaged],
  ])('D-46 takes away %s that was requested %s, and reports the fault', async (what, _, exitCode, reason, spoil) => {
    trust();
    const requested = path.join(installationIn(image).dataDir, REQUESTED_UPDATE);
    if (what === 'a directory') mkdirSync(requested);
    else renameSync(archive, requested);
    spoil();
    expect(await update('--requested')).toMatchObject({ exitCode, err: [expect.stringContaining(reason)] });
    expect(existsSync(requested)).toBe(false);
    expect(parseUpdateOutcome(readFileSync(places().outcome, 'utf8'))).toMatchObject({
      result: 'refused',
      to: null,
      reason: expect.stringContaining(reason),
    });
  });

  it('reports no outcome under a faulty configuration if no update is requested', async () => {
    faulty();
    expect(await update('--requested')).toMatchObject({ exitCode: 78 });
    expect(existsSync(places().outcome)).toBe(false);
  });

  it('refuses an installation by a package, and a missing installation', async () => {
    trust();
    packaged();
    expect(await update(archive)).toMatchObject({ exitCode: 73, err: [expect.stringContaining('package manager')] });
    const empty = path.join(cli.dir, 'empty');
    mkdirSync(empty);
    expect(await cli.run('update', archive, '--root', empty)).toMatchObject({ exitCode: 69 });
  });

  it('tells a user to whom the configuration seems to be missing to use sudo (77)', async () => {
    const { binary } = installationIn('/');
    vi.spyOn(fs, 'existsSync').mockImplementation((place) => place === binary);
    vi.spyOn(process, 'getuid').mockReturnValue(1_000);
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(await cli.run('update', archive)).toMatchObject({ exitCode: 77, err: [expect.stringContaining('sudo')] });
  });

  it('tells a user who may not read the trusted keys to use sudo, also for a check (77)', async () => {
    trust();
    const folder = path.dirname(places().trustedKeys);
    chmodSync(folder, 0);
    const refused = await asNobody(() => update('--check', archive));
    chmodSync(folder, 0o700);
    expect(refused).toEqual({ exitCode: 77, out: [], err: [expect.stringContaining('run it with sudo')] });
  });

  it('checks an archive also where plantgate is not installed', async () => {
    trust();
    for (const place of [places().binary, installationIn(image).config]) rmSync(place);
    expect(await update('--check', archive)).toMatchObject({
      exitCode: 0,
      out: [expect.stringContaining('is whole and signed: version 99.0.0')],
    });
  });

  it('names a file of keys that other users may write', async () => {
    trust();
    chmodSync(places().trustedKeys, 0o666);
    expect(await update(archive)).toMatchObject({ exitCode: 77, err: [expect.stringContaining('others than root')] });
  });

  it('is undone by uninstall, except the backup; --purge removes that as well', async () => {
    trust();
    await update(archive);
    writeFileSync(places().resumeUnit, '');
    for (const file of [places().backup, places().outcome]) mkdirSync(path.dirname(file));
    writeFileSync(places().backup, 'a backup');
    await runUninstall({ root: image, purge: false }, fakeIo());
    const { previous, resumeUnit, applyPath, applyUnit, backup, outcome } = places();
    const gone = [previous, resumeUnit, applyPath, applyUnit];
    expect([...gone, backup].map((file) => existsSync(file))).toEqual([...gone.map(() => false), true]);
    await runUninstall({ root: image, purge: true }, fakeIo());
    expect([backup, path.dirname(outcome)].map((place) => existsSync(place))).toEqual([false, false]);
  });
});

describe('the service during an update', () => {
  it.each([
    ['ActiveState=active\nNRestarts=0', null],
    ['ActiveState=activating\nNRestarts=2', null],
    ['ActiveState=activating\nNRestarts=3', 'it ended 3 times'],
    ['ActiveState=failed\nNRestarts=0', 'systemd has given it up'],
    ['', null],
  ])('is judged by %j', (properties, failure) => expect(serviceFailure(properties)).toBe(failure));

  it('is settled at the start of the computer by the previous program, from the same places', () => {
    const unit = readFileSync('systemd/plantgate-update.service', 'utf8');
    const { journal, previous } = updatePlaces(installationIn('/'));
    expect(unit).toContain(`ConditionPathExists=${journal}\n`);
    expect(unit).toContain(`ExecStart=${previous} update --resume\n`);
    expect(unit).toContain('Before=plantgate.service\n');
  });

  it('D-46 is updated by root as soon as the gateway has left a request in the standard data directory', () => {
    const { dataDir, binary } = installationIn('/');
    const waiting = readFileSync('systemd/plantgate-apply.path', 'utf8');
    expect(waiting).toContain(`\nPathExists=${path.join(dataDir, REQUESTED_UPDATE)}\nUnit=plantgate-apply.service\n`);
    const applying = readFileSync('systemd/plantgate-apply.service', 'utf8');
    expect(applying).toContain(`\nExecStart=${binary} update --requested\n`);
  });
});
