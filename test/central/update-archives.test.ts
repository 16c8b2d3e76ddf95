import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { writeUpdate } from '../../build/update-archive.ts';
import { archiveFiles } from '../../src/adapters/update/archive-files.ts';
import { moveArchives } from '../../src/central/updates/move-archives.ts';
import { PostgresArchives } from '../../src/central/updates/postgres-archives.ts';
import { openArchive } from '../../src/cli/commands/update/archive.ts';
import { FleetArchives, MAX_ARCHIVES } from '../../src/flows/fleet-update/fleet-archives.ts';
import type { ArchiveStore, FleetArchive, VerifyArchive } from '../../src/flows/fleet-update/fleet-update-ports.ts';
import { newDataDir } from '../adapters/store/open-test-store.ts';
import { endPostgresServer, openTestPostgres } from './central-under-test.ts';

afterAll(endPostgresServer);

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519').privateKey;
const PROGRAM_BYTES = 300_000;
const SENT_BYTES = 100_000;
const GIVEN_BYTES = 65_536;

/** As the thread does. */
const verify: VerifyArchive = async (file) => {
  const archive = await openArchive(file, [publicKey]);
  try {
    await archive.copyProgram();
    return archive.header;
  } finally {
    await archive.close();
  }
};

/** A signed archive of a program that no other one is like. */
async function pack(version: string, key = privateKey): Promise<Buffer> {
  const dir = newDataDir();
  const [out, binary] = [path.join(dir, 'made.update'), path.join(dir, 'program')];
  writeFileSync(binary, randomBytes(PROGRAM_BYTES));
  await writeUpdate(out, { version, arch: 'x64', schema: 1, created: new Date(0), binary }, key);
  return readFileSync(out);
}

interface TestedStore {
  readonly dataDir: string;
  readonly store: ArchiveStore;
  /** The disk, or the database, is away from now on. */
  readonly lose: () => Promise<void>;
}

const STORES: readonly { readonly name: string; readonly open: () => Promise<TestedStore> }[] = [
  {
    name: 'the data directory',
    open: async () => {
      const dataDir = newDataDir();
      const lose = async () => rmSync(dataDir, { recursive: true });
      return { dataDir, store: archiveFiles({ dataDir, verify }), lose };
    },
  },
  {
    name: 'PostgreSQL',
    open: async () => {
      const [dataDir, postgres] = [newDataDir(), await openTestPostgres()];
      const lose = () => postgres.script('DROP SCHEMA central CASCADE');
      return { dataDir, store: new PostgresArchives(postgres, { dataDir, verify }), lose };
    },
  },
];

function archivesIn(store: ArchiveStore): FleetArchives {
  let made = 0;
  const newId = () => {
    made += 1;
    return `u-${made}`;
  };
  return new FleetArchives({ store, newId });
}

async function send(
  archives: FleetArchives,
  archive: Uint8Array,
  needed: ReadonlySet<string> = new Set(),
): Promise<FleetArchive> {
  const { uploadId } = await archives.begin(archive.byteLength, needed);
  for (let offset = 0; offset < archive.byteLength; offset += SENT_BYTES) {
    await archives.add(uploadId, offset, archive.subarray(offset, offset + SENT_BYTES));
  }
  return archives.finish(uploadId);
}

/** The archive as a gateway fetches it: from where the last piece ended. */
async function fetched(archives: FleetArchives, { archiveId, bytes }: FleetArchive): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes; ) {
    const piece = await archives.read(archiveId, from, GIVEN_BYTES);
    if (piece === null || piece.byteLength === 0) throw new Error(`nothing at ${from}`);
    pieces.push(piece);
    from += piece.byteLength;
  }
  return Buffer.concat(pieces);
}

describe.each(STORES)('D-107 D-111 archives for gateways in $name', ({ open }) => {
  let tested: TestedStore;
  let archives: FleetArchives;

  beforeEach(async () => {
    tested = await open();
    archives = archivesIn(tested.store);
  });

  it('are given as they came, piece by piece', async () => {
    const archive = await pack('2.5.0');
    const kept = await send(archives, archive);
    expect(kept).toMatchObject({ version: '2.5.0', arch: 'x64', bytes: archive.byteLength });
    expect(await archives.list()).toEqual([kept]);
    expect(await archives.find(kept.archiveId)).toEqual(kept);
    expect((await fetched(archives, kept)).equals(archive)).toBe(true);
    expect(await archives.read(kept.archiveId, archive.byteLength, GIVEN_BYTES)).toHaveLength(0);
    expect(await archives.read('0'.repeat(64), 0, GIVEN_BYTES)).toBe(null);
  });

  it('are kept once, if the same one is sent again', async () => {
    const archive = await pack('2.5.0');
    const kept = await send(archives, archive);
    expect(await send(archives, archive)).toEqual(kept);
    expect(await archives.list()).toEqual([kept]);
    expect((await fetched(archives, kept)).equals(archive)).toBe(true);
  });

  it('are kept in a bounded number: one that no roll-out needs gives way', async () => {
    const all: string[] = [];
    for (let minor = 1; minor <= MAX_ARCHIVES; minor += 1) {
      all.push((await send(archives, await pack(`2.${minor}.0`))).archiveId);
    }
    await send(archives, await pack('2.9.0'), new Set(all.slice(0, 1)));
    const versions = (await archives.list()).map(({ version }) => version);
    expect(versions.toSorted()).toEqual(['2.1.0', '2.3.0', '2.4.0', '2.9.0']);
    const needed = new Set((await archives.list()).map(({ archiveId }) => archiveId));
    await expect(archives.begin(2, needed)).rejects.toMatchObject({ code: 'conflict' });
    await expect(archives.find(all[1] ?? '')).rejects.toMatchObject({ code: 'not-found' });
    expect(await archives.read(all[1] ?? '', 0, 1)).toBe(null);
  });

  it('come in order and as a whole', async () => {
    const { uploadId } = await archives.begin(2, new Set());
    await archives.add(uploadId, 0, Uint8Array.of(1));
    await expect(archives.add(uploadId, 0, Uint8Array.of(1))).rejects.toMatchObject({ code: 'conflict' });
    await expect(archives.add(uploadId, 1, Uint8Array.of(1, 2))).rejects.toMatchObject({ code: 'invalid-input' });
    await expect(archives.finish(uploadId)).rejects.toMatchObject({ code: 'conflict' });
    await archives.begin(3, new Set());
    await expect(archives.add(uploadId, 1, Uint8Array.of(1))).rejects.toMatchObject({ code: 'not-found' });
    await expect(archives.finish(uploadId)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('of which one is refused: nothing of it is kept, and it says why', async () => {
    const refused = send(archives, await pack('2.5.0', stranger));
    await expect(refused).rejects.toMatchObject({ code: 'invalid-input', message: /no key that is trusted/ });
    expect(await archives.list()).toEqual([]);
    expect(readdirSync(tested.dataDir)).toEqual([]);
    await expect(archives.finish('u-1')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('say so if they cannot be stored', async () => {
    const { uploadId } = await archives.begin(2, new Set());
    await tested.lose();
    await expect(archives.add(uploadId, 0, Uint8Array.of(1))).rejects.toMatchObject({ code: 'store-unavailable' });
  });
});

describe('D-111 archives in PostgreSQL', () => {
  it('are sent to one node after the other, and given by any', async () => {
    const postgres = await openTestPostgres();
    const nodes = [0, 1].map(() => archivesIn(new PostgresArchives(postgres, { dataDir: newDataDir(), verify })));
    const [one, other] = [nodes[0] ?? expect.fail(), nodes[1] ?? expect.fail()];
    const archive = await pack('2.5.0');
    const { uploadId } = await one.begin(archive.byteLength, new Set());
    let node = 0;
    for (let offset = 0; offset < archive.byteLength; offset += SENT_BYTES, node = 1 - node) {
      await (nodes[node] ?? one).add(uploadId, offset, archive.subarray(offset, offset + SENT_BYTES));
    }
    const kept = await other.finish(uploadId);
    expect((await fetched(one, kept)).equals(archive)).toBe(true);
  });

  it('take one of two pieces that come to two nodes at once', async () => {
    const postgres = await openTestPostgres();
    const nodes = [0, 1].map(() => archivesIn(new PostgresArchives(postgres, { dataDir: newDataDir(), verify })));
    const { uploadId } = (await nodes[0]?.begin(20, new Set())) ?? expect.fail();
    for (let offset = 0; offset < 20; offset += 1) {
      const added = await Promise.allSettled(nodes.map((node) => node.add(uploadId, offset, Uint8Array.of(offset))));
      expect(added.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const [refused] = added.filter((each) => each.status === 'rejected');
      expect(refused?.reason).toMatchObject({ code: 'conflict' });
    }
  });

  it('are those of the data directory, once a central server has moved; a second run changes nothing', async () => {
    const dataDir = newDataDir();
    const before = archivesIn(archiveFiles({ dataDir, verify }));
    const sent = [await pack('2.5.0'), await pack('2.6.0')];
    for (const archive of sent) await send(before, archive);
    const kept = await before.list();
    const postgres = await openTestPostgres();
    const lines: string[] = [];
    for (let run = 0; run < 2; run += 1) await moveArchives(dataDir, postgres, (line) => void lines.push(line));
    expect(lines).toEqual(kept.map(({ version, bytes }) => `archive ${version} for x64: ${bytes} bytes`));
    const moved = archivesIn(new PostgresArchives(postgres, { dataDir, verify }));
    expect(await moved.list()).toEqual(kept);
    for (const [place, archive] of sent.entries()) {
      expect((await fetched(moved, kept[place] ?? expect.fail())).equals(archive)).toBe(true);
    }
    expect(readdirSync(dataDir)).toEqual([]);
  });
});
