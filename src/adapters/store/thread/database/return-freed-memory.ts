import Database from 'better-sqlite3';

/** The types of better-sqlite3 leave out the second argument. */
interface ExtensionLoader {
  loadExtension(library: string, entryPoint: string): unknown;
  close(): unknown;
}

/** SQLite reports every result but 0 by this error. `malloc_trim` gives 1 if it returned memory. */
const RETURNED = /^error during initialization/;

/** The process is calm if it uses less than this share of one processor. A flood would need the memory again. */
const CALM_SHARE = 0.8;

export interface MemoryReturnOptions {
  readonly everyMs: number;
  /** The processor time of the whole process. */
  readonly processorMs: () => number;
}

const OPTIONS: MemoryReturnOptions = {
  everyMs: 10_000,
  processorMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

/**
 * Gives freed memory back regularly in calm times, until the thread ends. The main thread cannot get memory meanwhile,
 * and in a flood this thread may have to wait for a processor.
 */
export function returnFreedMemoryInCalm({ everyMs, processorMs }: MemoryReturnOptions = OPTIONS): void {
  let last = { usedMs: processorMs(), atMs: performance.now() };
  const timer = setInterval(() => {
    const now = { usedMs: processorMs(), atMs: performance.now() };
    const share = (now.usedMs - last.usedMs) / (now.atMs - last.atMs);
    last = now;
    if (share < CALM_SHARE && !returnFreedMemory()) clearInterval(timer);
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
