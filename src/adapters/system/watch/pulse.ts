/**
 * The signs of life that the watching thread reads in shared memory: each slot is one number. `storeOpens` is 1 while the
 * store thread opens its database.
 */
export const PULSE = { main: 0, store: 1, storeThreadId: 2, storeOpens: 3, stage: 4 } as const;

export const STAGE = { starting: 0, serving: 1, stopping: 2 } as const;

const SLOTS = 5;
const LABEL_BYTES = 160;

export interface SharedPulse {
  readonly beats: Int32Array<SharedArrayBuffer>;
  /** The newest HTTP request as text, which tells the work of the main thread. */
  readonly label: Uint8Array<SharedArrayBuffer>;
}

export function newPulse(): SharedPulse {
  return {
    beats: new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)),
    label: new Uint8Array(new SharedArrayBuffer(LABEL_BYTES)),
  };
}
