import { createHash } from 'node:crypto';
import { createReadStream, type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { CodedError } from '../../domain/error.ts';
import { errorCode } from '../../domain/error-code.ts';
import { errorMessage } from '../../domain/error-text.ts';

export interface PlantFileOptions {
  readonly file: string;
  readonly maxBytes: number;
  /**
   * Gets the content at the start and after each change, never two at a time. If it rejects, it gets the content again
   * at the next check.
   */
  readonly onContent: (bytes: Uint8Array) => Promise<void>;
  /** The file cannot be read, or `onContent` rejected. Each reason is reported once, until another one comes. */
  onFault(error: CodedError): void;
  readonly settleMs?: number;
  readonly pollMs?: number;
}

export interface PlantFileWatch {
  /** Stops watching; resolves when no content is under way any more. */
  close(): Promise<void>;
}

/** Editors write in several steps and rename, so the file is read when it was quiet for this time. */
const SETTLE_MS = 200;
/** If the system reports no change (network drives, limits on watches), the change is found by polling. */
const POLL_MS = 5_000;

/**
 * Reads the plant file and watches it. Its directory is watched, because editors replace the file by another one of its
 * name; it is also checked from time to time. Unchanged content is not given again.
 */
export function watchPlantFile(options: PlantFileOptions): PlantFileWatch {
  const { file, settleMs = SETTLE_MS, pollMs = POLL_MS } = options;
  const reader = new PlantFileReader(options);
  let settling: NodeJS.Timeout | null = null;
  let reading: Promise<void> = Promise.resolve();
  const readNext = () => {
    reading = reading.then(() => reader.read());
  };
  const settle = () => {
    if (settling !== null) clearTimeout(settling);
    settling = setTimeout(readNext, settleMs);
  };
  const watcher = watchDirectory(file, settle);
  const polling = setInterval(readNext, pollMs);
  readNext();
  return {
    close: async () => {
      clearInterval(polling);
      if (settling !== null) clearTimeout(settling);
      watcher?.close();
      reader.close();
      await reading;
    },
  };
}

class PlantFileReader {
  readonly #options: PlantFileOptions;
  #closed = false;
  #seenStamp: string | null = null;
  #takenDigest: string | null = null;
  #toldFault: string | null = null;

  constructor(options: PlantFileOptions) {
    this.#options = options;
  }

  /** Never rejects: faults go to `onFault`. */
  async read(): Promise<void> {
    if (this.#closed) return;
    try {
      const { file, maxBytes, onContent } = this.#options;
      const stamp = await stampOf(file, maxBytes);
      if (stamp === this.#seenStamp) return;
      const { bytes, digest } = await contentOf(file, maxBytes);
      if (digest !== this.#takenDigest && !this.#closed) await onContent(bytes);
      this.#takenDigest = digest;
      this.#seenStamp = stamp;
      this.#toldFault = null;
    } catch (error) {
      this.#tell(readFault(this.#options.file, error));
    }
  }

  close(): void {
    this.#closed = true;
  }

  #tell(fault: CodedError): void {
    // Content that could not be taken is given again, and a file that comes back is read, even if it is the same.
    this.#seenStamp = null;
    this.#takenDigest = null;
    if (fault.message === this.#toldFault) return;
    this.#toldFault = fault.message;
    this.#options.onFault(fault);
  }
}

/** The digest is made while the file is read, because hashing megabytes in one go would delay the thread. */
async function contentOf(file: string, maxBytes: number): Promise<{ bytes: Uint8Array; digest: string }> {
  const chunks: Buffer[] = [];
  const hash = createHash('sha256');
  // A file that grows meanwhile is not read further; it is checked again when it is quiet.
  for await (const chunk of createReadStream(file, { end: maxBytes })) {
    chunks.push(chunk);
    hash.update(chunk);
  }
  return { bytes: Buffer.concat(chunks), digest: hash.digest('base64') };
}

/**
 * A text that identifies a state of the file. Refuses a pipe or other non-file, which could block, and a large file.
 */
async function stampOf(file: string, maxBytes: number): Promise<string> {
  const found = await stat(file);
  const { ino, size, mtimeMs, ctimeMs } = found;
  if (!found.isFile()) throw new CodedError('invalid-input', `${file} is not a regular file`);
  if (size > maxBytes) throw new CodedError('too-large', `${file} has ${size} bytes, more than ${maxBytes}`);
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}

function watchDirectory(file: string, onChange: () => void): FSWatcher | null {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) onChange();
    });
    // The directory was removed, or the system has no more watches: polling goes on.
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // Polling goes on here as well.
    return null;
  }
}

function readFault(file: string, error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  const reason = errorMessage(error);
  const isGone = errorCode(error) === 'ENOENT';
  return new CodedError(isGone ? 'not-found' : 'invalid-input', `${file} cannot be read: ${reason}`);
}
