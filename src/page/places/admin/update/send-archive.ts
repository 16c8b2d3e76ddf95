import type { UpdateView } from '../../../../flows/update/update-ports.ts';
import { call, type Outcome } from '../../../api/call.ts';

const PIECE_BYTES = 262_144;
/** The number of pieces that may fail one after the other: the network may break for a moment. */
const MAX_FAILURES = 10;
const PAUSE_MS = 1_000;
/** The whole archive is read from the disk. */
const VERIFY_PATIENCE_MS = 5 * 60_000;

/** A person watches the upload, and may stop it. */
interface Sending {
  readonly onSent: (bytes: number) => void;
  readonly isWanted: () => boolean;
}

/**
 * Sends an archive in pieces and has it verified. After a break it goes on where the gateway stands. Null if the person
 * does not want it any more.
 */
export async function sendArchive(file: File, { onSent, isWanted }: Sending): Promise<Outcome<UpdateView> | null> {
  const begun = await call<{ readonly uploadId: string }>('POST', '/update/upload', { bytes: file.size });
  if (begun.kind !== 'done') return begun;
  const upload = `/update/upload/${begun.value.uploadId}`;
  let failures = 0;
  for (let sent = 0; sent < file.size; ) {
    if (!isWanted()) {
      await call('DELETE', '/update/upload');
      return null;
    }
    const piece = file.slice(sent, sent + PIECE_BYTES, 'application/octet-stream');
    const outcome = await call('PUT', `${upload}?offset=${sent}`, piece);
    if (outcome.kind === 'done') {
      sent += piece.size;
      failures = 0;
    } else {
      failures++;
      if (failures > MAX_FAILURES || (outcome.kind === 'refused' && outcome.status !== 409)) return outcome;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const standing = await call<UpdateView>('GET', '/update');
      if (standing.kind === 'done') sent = standing.value.upload.receivedBytes;
    }
    onSent(sent);
  }
  return call('POST', `${upload}/verify`, undefined, VERIFY_PATIENCE_MS);
}
