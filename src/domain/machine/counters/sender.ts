import type { Booted, CounterReading } from './counters.ts';

/** A client that sends for a machine. */
export interface Sender {
  readonly transport: 'mqtt' | 'http';
  readonly clientId?: string;
  readonly address?: string;
}

/** A second device that sends under the id of the machine, with counters and an uptime of its own. */
export interface OtherSender {
  readonly reading: Booted;
  /** The counters up to which its production has been counted. */
  readonly counted: CounterReading;
  readonly heardMs: number;
  readonly sender: Sender | null;
  /** The moment of its boot on the gateway's monotonic clock, by its own uptime. */
  readonly bootedMs: number;
  /** Whether it counted until the present sender took its place, and whether that looked like a boot of the same device. */
  readonly isFormer: boolean;
  readonly hasBooted: boolean;
}

/** Production that is not counted until it is clear that one device alone sends (D-59). */
export interface Uncounted {
  /** The counters from which the production of the present sender begins. */
  readonly from: CounterReading;
  /** The counters before the uptime leapt, if the same client sent both and no second device has shown itself. */
  readonly before: CounterReading | null;
  /** The last moment that showed a second device, on the monotonic clock. */
  readonly sinceMs: number;
}
