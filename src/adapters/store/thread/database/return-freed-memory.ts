import { cpus } from 'node:os';
import Database from 'better-sqlite3';

/** The types of better-sqlite3 leave out the second argument. */
interface ExtensionLoader {
  loadExtension(library: string, entryPoint: string): unknown;
  close(): unknown;
}

/** SQLite reports every result but 0 by this error. `malloc_trim` gives 1 if it returned memory. */
const RETURNED = /^error during initialization/;

/**
 * All processors together must have been idle for this share of one processor's time. On a busier computer this thread
 * would wait for a processor while it holds the allocator, and the other threads would wait for it.
 */
const IDLE_SHARE = 0.3;

export interface MemoryReturnOptions {
  readonly everyMs: number;
  /** The time that all processors of the computer together were idle since it started. */
  readonly idleMs: () => number;
}

const OPTIONS: MemoryReturnOptions = {
  everyMs: 10_000,
  idleMs: () => cpus().reduce((sum, { times }) => sum + times.idle, 0),
};

/**
 * Gives freed memory back regularly, until the thread ends. The main thread cannot get memory meanwhile, so this waits
 * for times in which a processor is free. It does not wait for the end of a flood: floods may follow each other for
 * hours.
 */
export function returnFreedMemoryRegularly({ everyMs, idleMs }: MemoryReturnOptions = OPTIONS): void {
  let last = { idleMs: idleMs(), atMs: performance.now() };
  const timer = setInterval(() => {
    const now = { idleMs: idleMs(), atMs: performance.now() };
    const share = (now.idleMs - last.idleMs) / (now.atMs - last.atMs);
    last = now;
    if (share >= IDLE_SHARE && !returnFreedMemory()) clearInterval(timer);
  }, everyMs).unref();
}

/**
 * Gives freed memory back to the system. The C library keeps it where pieces in use lie between: some 50 of 270 MiB
 * after all attacks at once. Node cannot call its `malloc_trim`, but SQLite calls any function of a library as the entry
 * point of an extension. The first argument, an address, is taken for a number of bytes to keep at the end of the heap;
 * the others are ignored. Tried with better-sqlite3 13.2 and glibc 2.36: 0.2 to 4 ms, 8 after a flood. Gives false if
 * it is not possible, as where the C library has no such function.
 */
function returnFreedMemory(): boolean {
  try {
    callByName('libc.so.6', 'malloc_trim');
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError) return RETURNED.test(error.message);
    throw error;
  }
}

function callByName(library: string, entryPoint: string): void {
  const database: ExtensionLoader = new Database(':memory:');
  try {
    database.loadExtension(library, entryPoint);
  } finally {
    database.close();
  }
}
