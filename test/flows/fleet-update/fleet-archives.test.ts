import { beforeEach, describe, expect, it } from 'vitest';
import { FleetArchives, MAX_ARCHIVES } from '../../../src/flows/fleet-update/fleet-archives.ts';
import type { ArchiveFiles, FleetArchive } from '../../../src/flows/fleet-update/fleet-update-ports.ts';

let kept: FleetArchive[];
let incoming: number[];
let disk: 'ok' | 'full' | 'refused';
let archives: FleetArchives;

const files: ArchiveFiles = {
  list: async () => kept,
  create: async () => {
    incoming = [];
  },
  write: async (piece) => {
    if (disk === 'full') throw new Error('no space left');
    incoming.push(...piece);
  },
  keep: async () => {
    if (disk === 'refused') throw new Error('not signed');
    const archive = { archiveId: String(incoming), version: '1.0.0', arch: 'x64', bytes: incoming.length };
    kept = [...kept, archive];
    return archive;
  },
  discard: async () => {
    incoming = [];
  },
  remove: async ({ archiveId }) => {
    kept = kept.filter((one) => one.archiveId !== archiveId);
  },
  read: async () => null,
};

beforeEach(() => {
  kept = [];
  incoming = [];
  disk = 'ok';
  let made = 0;
  archives = new FleetArchives({
    files,
    newId: () => {
      made += 1;
      return `u-${made}`;
    },
  });
});

async function send(byte: number, needed: readonly string[] = []): Promise<FleetArchive> {
  const { uploadId } = await archives.begin(2, new Set(needed));
  await archives.add(uploadId, 0, Uint8Array.of(byte));
  await archives.add(uploadId, 1, Uint8Array.of(byte));
  return archives.finish(uploadId);
}

describe('D-107 archives for gateways', () => {
  it('are kept in a bounded number: one that no roll-out needs gives way', async () => {
    for (let byte = 1; byte <= MAX_ARCHIVES; byte += 1) await send(byte);
    await send(9, ['1,1']);
    expect(kept.map(({ archiveId }) => archiveId)).toEqual(['1,1', '3,3', '4,4', '9,9']);
    const all = kept.map(({ archiveId }) => archiveId);
    await expect(archives.begin(2, new Set(all))).rejects.toMatchObject({ code: 'conflict' });
    await expect(archives.find('2,2')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('come in order and as a whole', async () => {
    const { uploadId } = await archives.begin(2, new Set());
    await archives.add(uploadId, 0, Uint8Array.of(1));
    await expect(archives.add(uploadId, 0, Uint8Array.of(1))).rejects.toMatchObject({ code: 'conflict' });
    await expect(archives.add(uploadId, 1, Uint8Array.of(1, 2))).rejects.toMatchObject({ code: 'invalid-input' });
    await expect(archives.finish(uploadId)).rejects.toMatchObject({ code: 'conflict' });
    await archives.begin(3, new Set());
    await expect(archives.add(uploadId, 1, Uint8Array.of(1))).rejects.toMatchObject({ code: 'not-found' });
  });

  it.each(['full', 'refused'] as const)('say so if the disk is %s, and keep nothing', async (state) => {
    disk = state;
    await expect(send(1)).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(kept).toEqual([]);
  });
});
