import { createHash, type KeyObject, verify } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { CodedError } from '../../../domain/error.ts';
import {
  MAX_UPDATE_BYTES,
  MAX_UPDATE_HEADER_BYTES,
  parseUpdateHeader,
  type UpdateHeader,
} from '../../../domain/update/update-header.ts';

/** An archive is this line, a line with the signature in base64, the header as one line of JSON, and the program. */
export const ARCHIVE_MARK = 'plantgate-update-1\n';
/** The length of an Ed25519 signature, which has 64 bytes, in base64. */
const SIGNATURE_LENGTH = 88;
const CHUNK_BYTES = 1_048_576;

export interface UpdateArchive {
  readonly header: UpdateHeader;
  /** Reads the whole program, into a file if one is given. Rejects unless every byte is the one that was signed. */
  copyProgram(target?: FileHandle): Promise<void>;
  close(): Promise<void>;
}

/** The signed bytes. The header has the hash of the program, so the signature covers every byte. */
export function signedBytes(headerLine: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(ARCHIVE_MARK), Buffer.from(headerLine)]);
}

/**
 * Opens an archive, unless it is open already, and verifies its signature before using its content. Rejects with
 * `invalid-input`.
 */
export async function openArchive(
  source: string | FileHandle,
  trustedKeys: readonly KeyObject[],
): Promise<UpdateArchive> {
  const handle = typeof source === 'string' ? await open(source, 'r') : source;
  try {
    const { size } = await handle.stat();
    if (size > MAX_UPDATE_BYTES) throw refused(`it has ${size} bytes, more than the ${MAX_UPDATE_BYTES} permitted`);
    const { signature, headerLine, start } = split(await readStart(handle));
    const isTrusted = trustedKeys.some((key) => verify(null, signedBytes(headerLine), key, signature));
    if (!isTrusted) throw refused('no key that is trusted here has signed it as it is');
    const header = parseUpdateHeader(headerLine.toString('utf8'));
    const found = size - start;
    if (found !== header.bytes) throw refused(`its program has ${found} bytes, and ${header.bytes} were signed`);
    return {
      header,
      copyProgram: (target) => copyProgram(handle, start, header, target),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export function refused(reason: string): CodedError {
  return new CodedError('invalid-input', reason);
}

async function readStart(handle: FileHandle): Promise<Buffer> {
  const most = ARCHIVE_MARK.length + SIGNATURE_LENGTH + 1 + MAX_UPDATE_HEADER_BYTES + 1;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
  return buffer.subarray(0, bytesRead);
}

function split(start: Buffer) {
  const signatureEnd = ARCHIVE_MARK.length + SIGNATURE_LENGTH;
  const isMarked = start.subarray(0, ARCHIVE_MARK.length).equals(Buffer.from(ARCHIVE_MARK));
  if (!isMarked || start[signatureEnd] !== 0x0a) throw refused('it is no update archive of plantgate');
  const text = start.subarray(ARCHIVE_MARK.length, signatureEnd).toString('latin1');
  const signature = Buffer.from(text, 'base64');
  // Base64 has several spellings of the same bytes. Only one is accepted.
  if (signature.toString('base64') !== text) throw refused('its signature is no base64');
  const headerEnd = start.indexOf('\n', signatureEnd + 1);
  if (headerEnd < 0) throw refused(`its header does not end within ${MAX_UPDATE_HEADER_BYTES} bytes`);
  return { signature, headerLine: start.subarray(signatureEnd + 1, headerEnd), start: headerEnd + 1 };
}

async function copyProgram(
  handle: FileHandle,
  start: number,
  { bytes, sha256 }: UpdateHeader,
  target: FileHandle | undefined,
): Promise<void> {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes));
  for (let done = 0; done < bytes; ) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, bytes - done), start + done);
    if (bytesRead === 0) throw refused(`its program ends after ${done} of ${bytes} bytes`);
    const piece = chunk.subarray(0, bytesRead);
    hash.update(piece);
    await target?.writeFile(piece);
    done += bytesRead;
  }
  if (hash.digest('hex') !== sha256) throw refused('its program is not the one that was signed');
}
