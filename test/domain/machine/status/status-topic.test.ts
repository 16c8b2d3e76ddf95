import { describe, expect, it } from 'vitest';
import { STATUS_FIELDS } from '../../../../src/domain/machine/status/status-fields.ts';
import { parseStatusField } from '../../../../src/domain/machine/status/status-topic.ts';

describe('single-field topics', () => {
  it.each([
    ['running', 'true', true],
    ['running', 'FALSE', false],
    ['run', '1', true],
    ['machine-power', ' 0 ', false],
    ['fault', 'True\0\0', true],
    ['cycles', '0', 0],
    ['msecsinceboot', '4294967295', 4_294_967_295],
    ['goodPart', ' 0012\r\n', 12],
    ['userId', ' 4711 ', '4711'],
    ['partId', '', null],
    ['partsAtATime', '2', 2],
    ['goodInputs', 'a,b', 'a,b'],
    ['goodInputs', '', null],
    ['machineId', 'RF-01', 'RF-01'],
    ['cycle', '"7"', 7],
    ['running', '"true"\0', true],
    ['running', '" on "', true],
    ['partId', '"P-100"', '"P-100"'],
    ['partName', '4"', '4"'],
  ])('MQTT-04 give %s %j as %j', (name, payload, value) => {
    expect(parseStatusField(name, payload)).toMatchObject({ ok: true, update: { value } });
  });

  it.each([
    ['machinePower', 'true', true],
    ['running', '"0"\0', false],
    ['cycle', ' 7', 7],
    ['partId', 'P-100\r\n', 'P-100'],
    ['partId', '', null],
    ['machineId', 'RF-01', 'RF-01'],
    ['goodInputs', '12', 12],
  ])('D-34 MQTT-04 give %s %j behind a byte order mark as %j', (name, payload, value) => {
    expect(parseStatusField(name, `\ufeff${payload}`)).toMatchObject({ ok: true, update: { value } });
  });

  it.each([
    ['running', 'ja'],
    ['running', ''],
    ['override', '2'],
    ['cycle', '-1'],
    ['cycle', '1.5'],
    ['cycle', '1e-3'],
    ['cycle', '0x10'],
    ['goodPart', ''],
    ['badPart', '9007199254740993'],
    ['userId', 'x'.repeat(257)],
    ['machineId', 'a/b'],
  ])('MQTT-12 are refused with the name %s for %j', (name, payload) => {
    expect(parseStatusField(name, payload)).toMatchObject({ ok: false, faults: [{ path: name }] });
  });

  it.each(['colour', '', '__proto__', 'constructor', 'x'.repeat(1000)])(
    'MQTT-12 are refused for the unknown field %j',
    (name) => {
      expect(parseStatusField(name, '1').ok).toBe(false);
    },
  );

  it.each([
    ['runing', 'running'],
    ['goodprt', 'goodPart'],
    ['machinepowr', 'machinePower'],
  ])('MQTT-12 are refused for the mistyped field %s with the name that was meant', (name, meant) => {
    const expected = `the name of a status field; did you mean ${meant}?`;
    expect(parseStatusField(name, '1')).toMatchObject({ ok: false, faults: [{ expected }] });
  });

  it.each(STATUS_FIELDS.flatMap((field) => [field.name, ...field.aliases].map((name) => [name, field.name] as const)))(
    'DEV-04 have aliases as well: %s is %s',
    (name, field) => {
      expect(parseStatusField(name, '1')).toMatchObject({ ok: true, update: { field } });
    },
  );
});
