import { expect, it } from 'vitest';
import { type FieldDefinition, STATUS_FIELDS } from '../../../../src/domain/machine/status/status-fields.ts';
import { MAX_HELD_FIELDS } from '../../../../src/flows/device/device-inbox-flow.ts';
import { MachineUnderTest, statusOf } from '../machine-under-test.ts';

/** A value that differs from the one of `statusOf`. */
function changed({ kind, name }: FieldDefinition): unknown {
  if (kind === 'switch') return statusOf()[name] !== true;
  return kind === 'count' ? 2_000 : 'other';
}

it.each(STATUS_FIELDS.filter(({ kind }) => kind !== 'machineId').map((field) => [field.name, field] as const))(
  'DEV-06 a status that differs only in %s is no redelivery',
  (name, field) => {
    const machine = new MachineUnderTest();
    machine.status({});
    machine.status({});
    expect(machine.state.redelivered).toBe(1);
    machine.status({ [name]: changed(field) });
    expect(machine.state.redelivered).toBe(1);
  },
);

it('DEV-20, D-33 the held fields have room for all spellings of all fields', () => {
  const spellings = STATUS_FIELDS.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(spellings.length).toBeLessThanOrEqual(MAX_HELD_FIELDS);
});
