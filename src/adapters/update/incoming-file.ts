import { open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MIB } from '../../domain/byte-units.ts';
import { requireRoom } from '../../runtime/disk/room.ts';

const OWNER_ONLY = 0o600;
/** The space that stays free for the database. */
const SPARE_BYTES = 256 * MIB;

/** An update that is being sent here piece by piece. Rejects if the disk has no room or takes only a part of a piece. */
export function incomingFile(file: string) {
  return {
    create: async (bytes: number) => {
      await writeFile(file, '', { mode: OWNER_ONLY });
      await requireRoom(path.dirname(file), bytes, 'the update', SPARE_BYTES);
    },
    write: async (piece: Uint8Array, offset: number) => {
      const handle = await open(file, 'r+');
      try {
        const { bytesWritten } = await handle.write(piece, 0, piece.byteLength, offset);
        // A disk that becomes full may take the beginning alone.
        if (bytesWritten < piece.byteLength)
          throw new Error(`${file} took ${bytesWritten} of ${piece.byteLength} bytes`);
      } finally {
        await handle.close();
      }
    },
    remove: () => rm(file, { force: true }),
  };
}
