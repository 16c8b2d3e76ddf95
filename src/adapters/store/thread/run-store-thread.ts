import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { STORE_PULSE } from '../../../flows/store-health-ports.ts';
import { tellThreadStarted } from '../../../runtime/thread-started.ts';
import { Parcels } from '../client/thread-channel.ts';
import type { FromThread, StoreThreadData, ToThread } from '../protocol.ts';
import { answer } from '../questions.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { CommitLoop } from './commit-loop.ts';
import { diskFault, errorText } from './database/disk-fault.ts';
import { returnFreedMemoryRegularly } from './database/return-freed-memory.ts';
import { loadSqliteAddon } from './database/sqlite-addon.ts';
import { collectAllStartGarbage } from './start-garbage.ts';
import { openCore, type StoreCore } from './store-core.ts';

const BEAT_MS = 1_000;
const COLLECT_AFTER_MS = 1_000;

/** The store thread: opens the database that the first message names, then commits and answers until it is closed. */
export function runStoreThread(): void {
  const port = parentPort;
  if (port === null) throw new Error('the store runs in a worker thread');
  port.once('message', (message: ToThread) => {
    if (message.kind === 'open') serve(port, message.data);
    else port.close();
  });
  loadWhileWaiting();
}

/** The main thread still reads the configuration. Meanwhile this thread loads for 25 ms what it needs later. */
function loadWhileWaiting(): void {
  try {
    loadSqliteAddon();
  } catch {
    // It is loaded again when the database is opened, which reports the fault.
  }
}

function serve(port: MessagePort, data: StoreThreadData): void {
  const tell = (message: FromThread) => port.postMessage(message);
  const beat = data.pulse === undefined ? null : startBeat(data.pulse);
  const core = open(data, tell);
  if (core === null) {
    port.close();
    return;
  }
  // The garbage collection waits: the main thread needs the first answers before it can serve.
  setTimeout(() => void collectAllStartGarbage(), COLLECT_AFTER_MS).unref();
  returnFreedMemoryRegularly();
  tellThreadStarted();
  const loop = new CommitLoop(core, tell);
  const parcels = new Parcels();
  // A fault here occurs again at the first question, which reports it.
  void Promise.allSettled([core.warehouse.taskQueries.prepare(), core.warehouse.coilQueries.prepare()]);
  const reply = async ({ id, question, args }: Extract<ToThread, { kind: 'ask' }>) => {
    try {
      const value = await answer(core, question, args);
      port.postMessage({ kind: 'answer', id, value } satisfies FromThread, bytesIn(value));
    } catch (error) {
      // A thread that was started for damage has looked at the whole file, and another look would find nothing.
      const fault = diskFault(error);
      const isDamage = fault === 'corrupt' && !data.suspect;
      if (isDamage) loop.failed(error);
      const isPassing = isDamage || (fault !== 'corrupt' && fault !== 'none');
      tell({ kind: 'unanswered', id, message: errorText(error), isPassing });
    }
  };
  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'open':
        throw new Error('a store thread opens one database');
      case 'part':
        parcels.take(message);
        prepareSeeds(core, message);
        return;
      case 'batch':
        loop.add(parcels.whole(message.batch));
        return;
      case 'ask':
        // The answer comes after the turn in which earlier batches are committed.
        setImmediate(() => void reply(message));
        return;
      case 'close':
        loop.end();
        if (beat !== null) clearInterval(beat);
        core.connection.close();
        core.lock.close();
        port.close();
        return;
      default:
        provoke(core, message);
    }
  });
}

/** Shows the watchdog that this thread's loop turns, which thread it is, and that it opens the database. */
function startBeat(pulse: Int32Array<SharedArrayBuffer>): NodeJS.Timeout {
  Atomics.store(pulse, STORE_PULSE.opening, 1);
  Atomics.store(pulse, STORE_PULSE.threadId, ownThreadId());
  return setInterval(() => Atomics.add(pulse, STORE_PULSE.beat, 1), BEAT_MS).unref();
}

/** The kernel's number of the thread; 0 on systems without /proc. */
function ownThreadId(): number {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return 0;
  }
}

/** The memory of an answer that is bytes. It is handed over, because a copy of megabytes would hold up both threads. */
function bytesIn(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null || !('bytes' in value)) return [];
  const { bytes } = value;
  const isWhole = bytes instanceof Uint8Array && bytes.length === bytes.buffer.byteLength;
  return isWhole && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

function open(data: StoreThreadData, tell: (message: FromThread) => void): StoreCore | null {
  try {
    const core = openCore(data);
    const { appliedNumber, restored } = core;
    if (data.pulse !== undefined) Atomics.store(data.pulse, STORE_PULSE.opening, 0);
    tell({ kind: 'opened', appliedNumber, restored });
    return core;
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    tell({ kind: 'notOpened', refusal: error.refusal, message: error.message });
    return null;
  }
}

/** A fault here occurs again at the commit, which is retried. */
function prepareSeeds({ warehouse }: StoreCore, { records }: Extract<ToThread, { kind: 'part' }>): void {
  try {
    warehouse.preparedSeeds.prepare(records);
  } catch (error) {
    if (diskFault(error) === 'none') throw error;
  }
}

/** Faults that tests cause on purpose (StoreTesting). */
function provoke(core: StoreCore, fault: Extract<ToThread, { kind: 'stall' | 'crash' | 'limitPages' }>): void {
  switch (fault.kind) {
    case 'stall':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fault.forMs);
      return;
    case 'limitPages':
      core.connection.pragma(`max_page_count = ${fault.pages}`);
      return;
    case 'crash':
      throw new Error('crashed on purpose');
  }
}
