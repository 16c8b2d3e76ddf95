import { STORE_PULSE } from '../../../flows/store-health-ports.ts';

const FIRST_OF_STORE = 2;

/** The signs of life that the watching thread reads in shared memory: each slot is one number. */
export const PULSE = {
  main: 0,
  stage: 1,
  store: FIRST_OF_STORE + STORE_PULSE.beat,
  storeThreadId: FIRST_OF_STORE + STORE_PULSE.threadId,
  storeOpens: FIRST_OF_STORE + STORE_PULSE.opening,
} as const;

export const STAGE = { starting: 0, serving: 1, stopping: 2 } as const;

const SLOTS = Object.keys(PULSE).length;
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

/** The slots that the store thread writes. */
export function storePulseOf({ beats }: SharedPulse): Int32Array<SharedArrayBuffer> {
  return beats.subarray(FIRST_OF_STORE);
}
