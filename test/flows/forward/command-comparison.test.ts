import { expect, it } from 'vitest';
import { machineId } from '../../../src/domain/machine/machine-names.ts';
import { CommandComparison } from '../../../src/flows/forward/command-comparison.ts';

const AT = Date.UTC(2026, 0, 2);

it('D-28 a long message in the central server’s command is shown by its first thousand characters', () => {
  const id = machineId('RF-01');
  if (id === null) throw new Error('RF-01 is no machine id');
  const comparison = new CommandComparison({
    decisionOf: () => ({ runEnabled: true, attentionNeeded: false, message: null }),
    clock: { now: () => ({ wallMs: AT, monotonicMs: 0 }) },
    incidents: { report: () => undefined },
  });
  const command = JSON.stringify({ runEnabled: false, attentionNeeded: true, message: 'x'.repeat(100_000) });
  comparison.compare({ machineId: id, at: AT, why: 'change', json: '{}' }, command);
  expect(comparison.differences()).toMatchObject([
    { machineId: 'RF-01', theirs: { runEnabled: false, message: 'x'.repeat(1_000) } },
  ]);
});
