import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { wantedArchitectures } from '../../build/architectures.ts';
import { maintainerOrLocal } from '../../build/maintainer.ts';
import { releaseObstacles } from '../../build/release-obstacles.ts';
import { publicBody } from '../../build/release-signing.ts';
import manifest from '../../package.json' with { type: 'json' };
import lockfile from '../../package-lock.json' with { type: 'json' };

const root = path.resolve(import.meta.dirname, '../..');
const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-release-'));
afterAll(() => rmSync(dir, { recursive: true }));

const NAMED = { DEBFULLNAME: 'Ada Lovelace', DEBEMAIL: 'ada@plant.example' };
const { privateKey } = generateKeyPairSync('ed25519');

function keyFile(name: string, content: string | Buffer): { readonly PLANTGATE_RELEASE_KEY: string } {
  const file = path.join(dir, name);
  writeFileSync(file, content);
  return { PLANTGATE_RELEASE_KEY: file };
}
const SIGNING = keyFile('release-key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }));
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });

it('architectures are those named, else this computer’s, and another word is refused', () => {
  expect(wantedArchitectures(['arm64', 'x64'])).toEqual(['arm64', 'x64']);
  expect(wantedArchitectures([])).toEqual([process.arch]);
  expect(() => wantedArchitectures(['amd64'])).toThrow('architecture: found "amd64", expected x64 or arm64');
});

describe('npm run release', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, readonly RegExp[]]>([
    ['no maintainer', SIGNING, [/^DEBFULLNAME must be the name/]],
    ['no address', { ...SIGNING, DEBFULLNAME: 'Ada Lovelace' }, [/^DEBEMAIL must be the mail address/]],
    ['an address without a host', { ...SIGNING, ...NAMED, DEBEMAIL: 'ada' }, [/^DEBEMAIL .* found "ada"$/]],
    ['a name of two lines', { ...SIGNING, ...NAMED, DEBFULLNAME: 'Ada\nDepends: x' }, [/^DEBFULLNAME/]],
    ['no key', NAMED, [/^PLANTGATE_RELEASE_KEY must name the file/]],
    ['no such key', { ...NAMED, PLANTGATE_RELEASE_KEY: path.join(dir, 'none') }, [/none cannot be read as a private/]],
    ['a file without a key', { ...NAMED, ...keyFile('text', 'no key') }, [/text cannot be read as a private key/]],
    ['a key of another kind', { ...NAMED, ...keyFile('rsa.pem', rsa) }, [/has a key of type rsa, expected ed25519/]],
    ['nothing set', {}, [/^DEBFULLNAME/, /^PLANTGATE_RELEASE_KEY/]],
  ])('is refused with %s', (_name, environment, expected) => {
    const obstacles = releaseObstacles(environment, [publicBody(privateKey)]);
    expect(obstacles).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });

  it('is only made with a key that it lists itself', () => {
    const environment = { ...NAMED, ...SIGNING };
    expect(releaseObstacles(environment, ['another key', publicBody(privateKey)])).toEqual([]);
    expect(releaseObstacles(environment, ['another key'])).toEqual([
      expect.stringMatching(/release-keys\.ts does not list.*npm run release:key -- FILE/),
    ]);
  });

  it('says each obstacle before it builds anything', () => {
    const env = { PATH: process.env.PATH, ...SIGNING };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['build/release.ts'], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^no release: DEBFULLNAME .+\nno release: PLANTGATE_RELEASE_KEY .+\n$/);
  });
});

it.each([
  [{}, 'local build of plantgate <plantgate@localhost.invalid>'],
  [NAMED, 'Ada Lovelace <ada@plant.example>'],
])('npm run build:deb with %j names the maintainer', (environment, expected) => {
  expect(maintainerOrLocal(environment)).toBe(expected);
});

it('npm run build:deb refuses half a maintainer', () => {
  expect(() => maintainerOrLocal({ DEBEMAIL: 'ada@plant.example' })).toThrow(/DEBFULLNAME/);
});

it('the licence is one file, and the copyright of the Debian package has its words', () => {
  const words = (file: string) => readFileSync(path.join(root, file), 'utf8').replaceAll(/\s+/g, ' ');
  for (const { license } of [manifest, lockfile.packages['']]) expect(license).toBe('SEE LICENSE IN LICENSE');
  const [, terms = ''] = /(All rights reserved\..+ with them\.)/.exec(words('LICENSE')) ?? [];
  expect(words('packaging/debian/copyright')).toContain(terms);
  expect(terms).not.toBe('');
  for (const file of ['build/build-tarball.ts', 'build/release.ts']) expect(words(file)).toContain("'LICENSE'");
  expect(words('packaging/Containerfile')).toContain('COPY --chmod=0644 LICENSE THIRD-PARTY-LICENSES');
});
