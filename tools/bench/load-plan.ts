/** The orders to the load process; it answers with a LoadResult on its IPC channel. */
export type LoadPlan =
  | {
      /** `silence`: the devices send for `seconds`, then fall silent; latencies are their waits until the command. */
      readonly kind: 'mqtt' | 'silence';
      readonly port: number;
      readonly machines: number;
      readonly ratePerMachine: number;
      readonly seconds: number;
      /** Devices connected a second; 0: all at once. */
      readonly connectRate: number;
      /** Whether they all leave and come back in the end, once the server knows them. */
      readonly returning: boolean;
      /** If given, each such window of time is reported separately as well. */
      readonly windowSeconds?: number;
    }
  | {
      readonly kind: 'http';
      readonly port: number;
      readonly machines: number;
      readonly ratePerMachine: number;
      readonly seconds: number;
    }
  | {
      readonly kind: 'variables';
      readonly port: number;
      readonly machines: number;
      readonly ratePerMachine: number;
      readonly seconds: number;
    };

export type LoadEvent =
  | { readonly event: 'connected'; readonly milliseconds: number }
  | { readonly event: 'measuring' }
  | { readonly event: 'driven' }
  /** All devices have gone and are coming back. */
  | { readonly event: 'returning' }
  | { readonly event: 'returned' }
  | { readonly event: 'measured'; readonly result: LoadResult };

export interface LoadResult {
  readonly sent: number;
  readonly answered: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** Of each window, as planned. */
  readonly windowP99Ms: readonly number[];
}

export function machineName(index: number): string {
  return `RF-${index}`;
}

export function topicRoot(index: number): string {
  return `plant/rf-${index}`;
}

/** A status as a device sends it; counters go up with every tenth. */
export function statusJson(index: number, number: number): string {
  const parts = Math.floor(number / 10);
  return `{"machineId":"${machineName(index)}","running":true,"mSecSinceBoot":${1_000 + number * 500},"cycle":${parts},"goodPart":${parts},"badPart":0,"override":false,"machinePower":true,"fault":false,"partId":"P-100"}`;
}
