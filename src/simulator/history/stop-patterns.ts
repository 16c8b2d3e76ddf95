import { MINUTE_MS } from '../../domain/time.ts';
import type { DOWNTIME_REASONS } from '../plant/sample-reasons.ts';
import type { Range } from '../random.ts';

/** A kind of stop in the history of the sample plant. */
export interface StopPattern {
  readonly reasonId: (typeof DOWNTIME_REASONS)[number]['id'];
  readonly weight: number;
  readonly lengthMs: Range;
  readonly note: string | null;
  /** Machines at which it comes three times as often. */
  readonly worseAt: readonly string[];
}

const minutes = (from: number, to: number): Range => [from * MINUTE_MS, to * MINUTE_MS];

/** The stops of the past weeks. One machine has trouble with its hydraulics, another with its drive. */
export const REASONS_IN_HISTORY: { readonly jobChange: StopPattern; readonly others: readonly StopPattern[] } = {
  jobChange: { reasonId: 'DT-10', weight: 0, lengthMs: minutes(6, 18), note: null, worseAt: [] },
  others: [
    {
      reasonId: 'DT-01',
      weight: 30,
      lengthMs: minutes(3, 8),
      note: 'C-70006, strap was cut on the wrong side',
      worseAt: [],
    },
    { reasonId: 'DT-31', weight: 9, lengthMs: minutes(4, 25), note: 'Waited for the crane', worseAt: ['RF-02'] },
    { reasonId: 'DT-11', weight: 8, lengthMs: minutes(5, 22), note: null, worseAt: ['RF-05'] },
    {
      reasonId: 'DT-21',
      weight: 4,
      lengthMs: minutes(10, 55),
      note: 'Pressure fell, filter changed',
      worseAt: ['RF-03'],
    },
    { reasonId: 'DT-20', weight: 4, lengthMs: minutes(8, 40), note: 'Encoder cable re-seated', worseAt: ['RF-04'] },
    { reasonId: 'DT-03', weight: 5, lengthMs: minutes(5, 15), note: null, worseAt: [] },
    { reasonId: 'DT-40', weight: 3, lengthMs: minutes(5, 30), note: null, worseAt: [] },
    { reasonId: 'DT-30', weight: 2, lengthMs: minutes(5, 20), note: null, worseAt: ['RF-06'] },
    { reasonId: 'DT-41', weight: 1, lengthMs: minutes(10, 20), note: null, worseAt: [] },
  ],
};
