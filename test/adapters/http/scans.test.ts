import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../rounds.ts';
import { taskEntryOf } from '../store/thread/warehouse/warehouse-under-test.ts';
import { type GatewayUnderTest, keyOf, machineOf, startGateway } from './gateway-under-test.ts';

const COILS = ['C-1', 'Coil-x', 'COIL-X', 'Lone-x', 'COIL:9', 'Büro-7', 'same', 'CASE'];
const TASKS = ['T-1', 't-2', 'T-2', 'Case'];
const LOCATIONS = ['WH-A1', 'wh-a1', 'Dock-1', 'RF-01'];
const PARTS = ['P-100', 'SAME'];
const MACHINES = ['RF-01', 'RF-02'];

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway({ machines: MACHINES.map(machineOf) });
  for (const code of LOCATIONS) await add('locations', { code, name: code, category: 'Warehouse' });
  for (const coilId of COILS) await add('coils', { coilId, location: 'WH-A1' });
  for (const taskId of TASKS) await add('tasks', taskEntryOf({ taskId }));
  await add('parts', { partId: 'SAME', partName: 'Cap' });
});
afterAll(() => gateway.close());

async function add(kind: string, record: object): Promise<void> {
  const { status, body } = await gateway.as(keyOf('admin'), 'POST', `/api/local/plant/${kind}`, record);
  expect(status, JSON.stringify(body)).toBe(201);
}

async function scan(code: string): Promise<unknown> {
  const path = `/api/local/scan?code=${encodeURIComponent(code)}`;
  return (await gateway.as(keyOf('technician'), 'GET', path)).body;
}

describe('a scanned code', () => {
  it.each([
    ['RF-01', { kind: 'machine', id: 'RF-01' }],
    [' RF-01\r', { kind: 'machine', id: 'RF-01' }],
    ['http://gate.example/machine/RF-01', { kind: 'machine', id: 'RF-01' }],
    ['P-100', { kind: 'part', id: 'P-100', name: 'Panel 100' }],
    ['P-1\u001d00', { kind: 'unknown', similar: [] }],
    ['COIL:P-100', { kind: 'part', id: 'P-100' }],
    ['COIL:9', { kind: 'coil', id: 'COIL:9' }],
    ['%E0%A4%A', { kind: 'unknown', similar: [] }],
    ['http://gate.example/machine/%E0%A4%A', { kind: 'unknown' }],
    ["<script>alert('x')</script>", { kind: 'unknown' }],
  ])('%s names %o', async (code, expected) => {
    expect(await scan(code)).toMatchObject({ code, ...expected });
  });

  it.each([
    ['COIL-X', 'that is an id, though another differs in case', { kind: 'coil', id: 'COIL-X' }],
    ['Coil-x', 'that is an id, though another differs in case', { kind: 'coil', id: 'Coil-x' }],
    ['coil-x', 'that two coils have in another case', { kind: 'unknown', similar: ['COIL-X', 'Coil-x'] }],
    ['LONE-X', 'that one coil has in another case', { kind: 'coil', id: 'Lone-x' }],
    ['lOnE-X', 'that one coil has in another case', { kind: 'coil', id: 'Lone-x' }],
    ['bÜRO-7', 'with a letter that is not English', { kind: 'coil', id: 'Büro-7' }],
    ['t-1', 'of a task', { kind: 'task', id: 'T-1' }],
    ['rf-01', 'of a machine and of its location', { kind: 'machine', id: 'RF-01' }],
    ['dOCK-1', 'of a location', { kind: 'location', id: 'Dock-1' }],
    ['p-100', 'of a part', { kind: 'part', id: 'P-100' }],
    ['Wh-A1', 'that two locations have in another case', { kind: 'unknown', similar: ['WH-A1', 'wh-a1'] }],
    ['Same', 'that a coil and a part have in another case', { kind: 'unknown', similar: ['same', 'SAME'] }],
    ['case', 'that a coil and a task have in another case', { kind: 'unknown', similar: ['CASE', 'Case'] }],
    ['coil:rf-02', 'behind a prefix in another case', { kind: 'machine', id: 'RF-02' }],
    ['coil:T-2', 'behind a prefix in another case, of two tasks', { kind: 'unknown', similar: ['T-2', 't-2'] }],
    ['COIL:T-2', 'behind a prefix, of two tasks', { kind: 'task', id: 'T-2' }],
    ['HTTP://GATE.EXAMPLE/MACHINE/rf-02', 'in an address in another case', { kind: 'machine', id: 'RF-02' }],
    ['HTTP://GATE/TASK/t-2', 'in an address in another case, of two', { kind: 'unknown', similar: ['T-2', 't-2'] }],
    ['%OIL-X', 'with a sign that SQL would read as any letter', { kind: 'unknown', similar: [] }],
  ])('D-61 %s, %s', async (code, _, expected) => {
    expect(await scan(code)).toMatchObject({ code, ...expected });
  });

  it('D-61 names the id that equals it, else the only one in another case', async () => {
    const ids = [...new Set([...COILS, ...TASKS, ...LOCATIONS, ...PARTS, ...MACHINES])].filter(
      (id) => !id.startsWith('COIL:'),
    );
    const spelling = fc
      .constantFrom(...ids)
      .chain((id) =>
        fc
          .array(fc.boolean(), { minLength: id.length, maxLength: id.length })
          .map((raised) =>
            [...id].map((one, place) => (raised[place] ? one.toUpperCase() : one.toLowerCase())).join(''),
          ),
      );
    await fc.assert(
      fc.asyncProperty(spelling, async (code) => {
        const similar = ids.filter((id) => id.toLowerCase() === code.toLowerCase());
        const named = ids.includes(code) ? code : similar.length === 1 ? similar[0] : undefined;
        const found = await scan(code);
        if (named !== undefined) expect(found).toMatchObject({ code, id: named });
        else expect(found).toMatchObject({ code, kind: 'unknown', similar: expect.toSatisfy(isAny(similar)) });
      }),
      { numRuns: rounds(100) },
    );
  });
});

function isAny(ids: readonly string[]): (found: readonly string[]) => boolean {
  return (found) => JSON.stringify([...found].sort()) === JSON.stringify([...ids].sort());
}
