import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChangedFields } from '../../../src/adapters/http/events/changed-fields.ts';

const MACHINES = ['M-1', 'M-2'];
const anyRecord = fc.record({
  machineId: fc.constantFrom(...MACHINES),
  status: fc.option(fc.record({ cycle: fc.nat({ max: 2 }), 'good "part"': fc.boolean() })),
  name: fc.constantFrom('Ridge line', 'Trim line', '<b>"\u2028'),
  removed: fc.constantFrom(false, true),
});

it('the changed fields of a machine on top of those before are its newest record, in any order of changes', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 20 }), (records) => {
      const fields = new ChangedFields();
      const merged = new Map<string, object>();
      for (const { removed, ...machine } of records) {
        const record = removed ? { machineId: machine.machineId, removed } : machine;
        const { whole, changed } = fields.take(machine.machineId, record);
        expect(JSON.parse(whole)).toEqual(record);
        expect(JSON.parse(changed)).toMatchObject({ machineId: machine.machineId });
        expect(changed.length).toBeLessThanOrEqual(whole.length);
        // A page forgets a machine that was removed.
        const before = removed ? {} : merged.get(machine.machineId);
        merged.set(machine.machineId, removed ? {} : { ...before, ...JSON.parse(changed) });
        if (!removed) expect(merged.get(machine.machineId)).toEqual(record);
      }
    }),
  );
});
