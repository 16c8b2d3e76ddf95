import { generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeUpdate } from '../../../../build/update-archive.ts';
import { ARCHIVE_MARK, openArchive, signedBytes } from '../../../../src/cli/commands/update/archive.ts';
import { trustedKeys } from '../../../../src/cli/commands/update/trusted-keys.ts';
import { MAX_UPDATE_BYTES, MAX_UPDATE_HEADER_BYTES } from '../../../../src/domain/update/update-header.ts';
import { DISK } from './update-world.ts';

const RUNS = 10_000;
const AT_ONCE = 50;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const dir = mkdtempSync(path.join(DISK, 'plantgate-archive-'));
const file = path.join(dir, 'whole.update');
const mutant = path.join(dir, 'mutant.update');
let whole: Buffer;

beforeAll(async () => {
  const binary = path.join(dir, 'program');
  writeFileSync(binary, 'the program of a release, and what it is made of\n'.repeat(20));
  await writeUpdate(
    file,
    { binary, version: '2.0.0', arch: 'x64', schema: 19, created: new Date(1_764_000_000_000) },
    privateKey,
  );
  whole = readFileSync(file);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The reason for which an archive is refused; null if it is accepted. */
async function refusalOf(bytes: Buffer, place = mutant): Promise<string | null> {
  writeFileSync(place, bytes);
  try {
    const archive = await openArchive(place, [publicKey]);
    try {
      await archive.copyProgram();
      return null;
    } finally {
      await archive.close();
    }
  } catch (error) {
    return String(error);
  }
}

/** A file of this length that takes no room. */
function sparse(name: string, bytes: number): void {
  writeFileSync(name, '');
  truncateSync(name, bytes);
}

const place = fc.nat({ max: 1_000_000 });
const piece = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes));

/** Possible changes of an archive, on the way or by an attacker. */
const mutations = fc.oneof(
  fc.tuple(place, fc.integer({ min: 0, max: 7 })).map(([at, bit]) => (bytes: Buffer) => {
    const changed = Buffer.from(bytes);
    changed[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit);
    return changed;
  }),
  fc.tuple(place, piece).map(([at, more]) => (bytes: Buffer) => {
    const cut = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, cut), more, bytes.subarray(cut)]);
  }),
  fc.tuple(place, piece).map(([at, other]) => (bytes: Buffer) => {
    const cut = at % bytes.length;
    return Buffer.concat([bytes.subarray(0, cut), other, bytes.subarray(cut + other.length)]);
  }),
  fc.tuple(place, fc.integer({ min: 1, max: 200 })).map(([at, length]) => (bytes: Buffer) => {
    const cut = at % bytes.length;
    return Buffer.concat([bytes.subarray(0, cut), bytes.subarray(cut + length)]);
  }),
  place.map((at) => (bytes: Buffer) => bytes.subarray(0, at % bytes.length)),
  fc.constant((bytes: Buffer) => Buffer.concat([bytes, bytes])),
  // The same fields in another spelling, which is not what was signed.
  fc
    .constantFrom<readonly [string, string]>(['"x64"', '"arm64"'], ['2.0.0', '9.0.0'], ['":', '": '], ['==\n', '=\n'])
    .map(
      ([from, to]) =>
        (bytes: Buffer) =>
          Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1'),
    ),
);

describe('an update archive', () => {
  it('is accepted as it was signed, and its program comes out whole', async () => {
    expect(await refusalOf(whole)).toBe(null);
    const archive = await openArchive(file, [generateKeyPairSync('ed25519').publicKey, publicKey]);
    const target = await open(path.join(dir, 'copy'), 'w');
    await archive.copyProgram(target);
    await Promise.all([archive.close(), target.close()]);
    expect(readFileSync(path.join(dir, 'copy'))).toEqual(readFileSync(path.join(dir, 'program')));
    expect(archive.header).toMatchObject({ product: 'plantgate', version: '2.0.0', arch: 'x64', schema: 19 });
  });

  it(`D-40 is not accepted once it is changed: ${RUNS} mutations`, { timeout: 180_000 }, async () => {
    let refused = 0;
    const changes = fc.array(mutations, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (mutants) => {
        const changed = mutants.map((some) => some.reduce((bytes, change) => change(bytes), whole));
        const different = changed.filter((bytes) => !bytes.equals(whole));
        const refusals = await Promise.all(different.map((bytes, number) => refusalOf(bytes, `${mutant}-${number}`)));
        for (const refusal of refusals) expect(refusal).toMatch(/CodedError/);
        refused += refusals.length;
      }),
      { numRuns: RUNS / AT_ONCE + 20 },
    );
    expect(refused).toBeGreaterThan(RUNS);
  });

  it('is not accepted if one bit of its signed start is changed, or if it is cut there', async () => {
    const start = whole.indexOf('the program');
    for (let at = 0; at < start; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (whole[at] ?? 0) ^ (1 << (at % 8));
      expect(await refusalOf(changed)).toMatch(/CodedError/);
      expect(await refusalOf(whole.subarray(0, at))).toMatch(/CodedError/);
    }
  });

  it('is not unpacked if it is overwritten after its signature was verified', async () => {
    writeFileSync(mutant, whole);
    const archive = await openArchive(mutant, [publicKey]);
    const evil = Buffer.from(whole);
    evil.fill('!', whole.length - 10);
    writeFileSync(mutant, evil);
    await expect(archive.copyProgram()).rejects.toThrow('is not the one that was signed');
    writeFileSync(mutant, whole.subarray(0, whole.length - 10));
    await expect(archive.copyProgram()).rejects.toThrow('ends after');
    await archive.close();
  });

  it.each([
    ['above the limit', 'it has 536870913 bytes', async () => sparse(mutant, MAX_UPDATE_BYTES + 1)],
    [
      'with an endless header',
      `does not end within ${MAX_UPDATE_HEADER_BYTES} bytes`,
      async () => {
        const headerAt = whole.indexOf('{');
        writeFileSync(mutant, Buffer.concat([whole.subarray(0, headerAt), Buffer.alloc(10_000, '{')]));
      },
    ],
  ])('%s is refused with the reason', async (_, sentence, prepare) => {
    await prepare();
    await expect(openArchive(mutant, [publicKey])).rejects.toThrow(sentence);
    rmSync(mutant);
  });

  it.each([
    ['a missing field', { sha256: undefined }, 'sha256: found nothing'],
    ['another product', { product: 'other' }, 'product: found "other", expected plantgate'],
    ['a malformed version', { version: '2.0' }, 'version: found "2.0", expected three numbers'],
  ])('with %s is refused although it is signed', async (_, change, sentence) => {
    const line = JSON.stringify({ ...(await headerOf()), ...change });
    const signature = sign(null, signedBytes(line), privateKey).toString('base64');
    expect(await refusalOf(Buffer.from(`${ARCHIVE_MARK}${signature}\n${line}\nprogram`))).toContain(sentence);
  });
});

async function headerOf(): Promise<object> {
  const archive = await openArchive(file, [publicKey]);
  await archive.close();
  return archive.header;
}

describe('trusted keys', () => {
  const keys = path.join(dir, 'update-keys.pem');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

  it('D-41 are those of the makers, and those in a file that only root may write', () => {
    expect(trustedKeys(keys).every((key) => !key.equals(publicKey))).toBe(true);
    writeFileSync(
      keys,
      `# ours\n${pem}${generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })}`,
    );
    expect(trustedKeys(keys).filter((key) => key.equals(publicKey))).toHaveLength(1);
  });

  it.each([
    ['others may write', pem, 0o666, 'may be written by others than root'],
    ['holds another kind of key', rsaPem(), 0o644, 'a key of type rsa, expected ed25519'],
    ['holds no key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 0o644, 'cannot be read'],
  ])('are refused if the file %s', (_, text, mode, sentence) => {
    rmSync(keys, { force: true });
    writeFileSync(keys, text);
    chmodSync(keys, mode);
    expect(() => trustedKeys(keys)).toThrow(sentence);
  });
});

function rsaPem(): string {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
}
