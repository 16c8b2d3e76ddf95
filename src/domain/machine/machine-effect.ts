import type { Sender } from './counters/sender.ts';
import type { Decision } from './decision.ts';
import type { CatchUp, CounterAnomaly, Downtime, PartSelection, ShiftRecord, Span, WorkSession } from './records.ts';

/** The effects of an input. Records are absolute: writing one twice changes nothing. */
export type MachineEffect =
  | { readonly type: 'decision'; readonly decision: Decision }
  | { readonly type: 'downtime'; readonly downtime: Downtime }
  | { readonly type: 'span'; readonly span: Span }
  /** Totals of a shift up to `at`, when it was left or recounted; those of the present one are `currentShift(state)`. */
  | { readonly type: 'shift'; readonly shift: ShiftRecord; readonly at: number }
  /** A work session opened or closed; its counts in between are `openSession(state)`. */
  | { readonly type: 'workSession'; readonly session: WorkSession }
  | { readonly type: 'partSelected'; readonly part: PartSelection | null; readonly at: number }
  /** The device names another part than before: the catalogue of parts may not know it yet (D-09). */
  | { readonly type: 'partReported'; readonly partId: string; readonly partName: string | null }
  | { readonly type: 'anomaly'; readonly anomaly: CounterAnomaly }
  | { readonly type: 'caughtUp'; readonly catchUp: CatchUp }
  | { readonly type: 'reboot'; readonly at: number; readonly boots: number }
  /** Two devices send under its id, from these clients; null if unknown (D-59). */
  | { readonly type: 'twoSenders'; readonly at: number; readonly senders: readonly [Sender | null, Sender | null] }
  | { readonly type: 'wentSilent'; readonly at: number }
  | { readonly type: 'cameBack'; readonly at: number };
