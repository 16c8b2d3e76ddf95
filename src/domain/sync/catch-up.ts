import type { ShiftTotals } from '../machine/counters/counters.ts';
import {
  COUNTERS,
  eachCount,
  eachTotal,
  isReboot,
  type MachineReading,
  type Production,
  plus,
  production,
} from '../machine/counters/counters.ts';
import type { CatchUp } from '../machine/records.ts';

/** Numbers to add to the totals that a gateway gives for a shift and a work session; they may be below 0. */
export interface CatchUpOffsets {
  readonly shift: ShiftTotals;
  readonly session: Production | null;
}

/**
 * A gateway that was restored from a backup counts production again that its data directory had counted since the
 * backup (D-27). Gives the error of its totals, so that they continue the `known` totals: all counts up to `former`,
 * the machine's last reading before the restore. Null without such counts, because no stream heard the machine while this
 * gateway was away.
 */
export function catchUpOffsets(
  { since, at, reading, shift, session }: CatchUp,
  former: MachineReading,
  known: { readonly shift: ShiftTotals; readonly session: Production },
): CatchUpOffsets | null {
  if ((since !== null && former.at < since) || former.at >= at) return null;
  const made = production(former, reading, isReboot(former, reading) ? COUNTERS : []);
  const missing = (counted: Production, said: Production) =>
    eachCount(eachCount(counted, made, plus), said, (whole, part) => whole - part);
  // A gateway counts no time for its own absence.
  const notLess = (counted: number, said: number) => Math.max(0, counted - said);
  return {
    shift: { ...eachTotal(known.shift, shift.totals, notLess), ...missing(known.shift, shift.totals) },
    session: session === null ? null : missing(known.session, session),
  };
}
