import type { StopKind } from '../machine/machine-design.ts';

/** The reasons for stops in the words of the plant's people. */
export const DOWNTIME_REASONS = [
  { id: 'DT-01', reason: 'Coil change', group: 'Planned' },
  { id: 'DT-02', reason: 'Break', group: 'Planned' },
  { id: 'DT-03', reason: 'Cleaning', group: 'Planned' },
  { id: 'DT-10', reason: 'Job change', group: 'Setup' },
  { id: 'DT-11', reason: 'Tooling adjustment', group: 'Setup' },
  { id: 'DT-20', reason: 'Drive fault', group: 'Breakdown' },
  { id: 'DT-21', reason: 'Hydraulics', group: 'Breakdown' },
  { id: 'DT-22', reason: 'Controller restart', group: 'Breakdown' },
  { id: 'DT-30', reason: 'Wrong coil', group: 'Material' },
  { id: 'DT-31', reason: 'Waiting for a coil', group: 'Material' },
  { id: 'DT-40', reason: 'No operator', group: 'Staff' },
  { id: 'DT-41', reason: 'Meeting', group: 'Staff' },
] as const;

type ReasonId = (typeof DOWNTIME_REASONS)[number]['id'];

/** The crew's reason for each kind of stop. */
export const REASON_OF_STOP: Readonly<Record<StopKind, ReasonId>> = {
  boot: 'DT-22',
  setUp: 'DT-10',
  coilChange: 'DT-01',
  break: 'DT-02',
  fault: 'DT-20',
};

/** The reason for a stop whose cause is unknown. */
export const REASON_OF_OTHERS: ReasonId = 'DT-40';
