import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { TimeSlicer } from './pace.ts';
import { type Json, PLANT, Program, statusOf } from './program.ts';

/** Programs start slowly while other tests run beside them. */
vi.setConfig({ testTimeout: 120_000 });

const PACE: TimeSlicer = { times: 8, fromWallMs: Date.now() };
const KEY = 'line-3-key-0123456789';
const WITHIN = { timeout: 30_000, interval: 200 };

const programs: Program[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) await program.end();
});

async function start(settings: string, plant: string, dir?: string): Promise<Program> {
  const program = await Program.start({ settings, plant, atHand: true, pace: PACE, ...(dir !== undefined && { dir }) });
  programs.push(program);
  return program;
}

interface Pair {
  readonly central: Program;
  readonly gateway: Program;
  readonly upstream: string;
  readonly groupId: string;
  /** The gateway as its central server shows it within its group. */
  readonly shown: () => Promise<Json>;
  readonly propose: (plan: object, more?: string) => Promise<Json>;
  readonly choose: (what: 'rollOut' | 'preview', version: number | null) => Promise<void>;
}

/** A central server with a group, and a gateway in it that was heard. */
async function startPair(plantOfGateway = PLANT): Promise<Pair> {
  const plantOfCentral = PLANT.replace(
    /^apiKeys:.*$/m,
    `apiKeys: [ { principal: line-3, key: ${KEY}, role: gateway } ]\nusers: [ { name: ada, role: supervisor, password: correct-horse } ]`,
  );
  const central = await start('gatewayId: central\n', plantOfCentral);
  const upstream = `upstream: { url: "http://127.0.0.1:${central.httpPort}/", apiKey: ${KEY} }\ngatewayId: line-3\n`;
  const gateway = await start(upstream, plantOfGateway);
  await gateway.device('status', statusOf());
  await expect.poll(async () => (await central.api('GET', '/gateways')).body.length, WITHIN).toBe(1);
  const { groupId } = (await central.api('POST', '/fleet/groups', { name: 'North' })).body;
  expect((await central.api('PUT', `/fleet/groups/${groupId}/gateways/line-3`)).status).toBe(204);
  const group = `/fleet/groups/${groupId}`;
  return {
    central,
    gateway,
    upstream,
    groupId,
    shown: async () => (await central.api('GET', group)).body.gateways[0] ?? {},
    propose: async (plan, more = '') => {
      const answer = await central.api('POST', `${group}/versions${more}`, plan);
      expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 });
      return answer.body;
    },
    choose: async (what, version) => {
      expect((await central.api('PUT', `${group}/${what}`, { version })).status).toBe(204);
    },
  };
}

const reasonsOf = async (program: Program): Promise<Json> =>
  Object.fromEntries(
    (await program.api('GET', '/plant/downtimeReasons')).body.map(({ id, reason }: Json) => [id, reason]),
  );
async function signIn({ httpPort }: Program, name: string, password: string): Promise<number> {
  const { status } = await fetch(`http://127.0.0.1:${httpPort}/api/local/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  return status;
}
const auditOf = async (program: Program): Promise<readonly Json[]> => (await program.api('GET', '/audit')).body.entries;

it('D-105 D-106 a plan is previewed, applied as a whole, and the server learns what is edited at the gateway', async () => {
  const { central, gateway, shown, propose, choose } = await startPair();
  const first = {
    machines: [
      { machineId: 'RF-01', idealPartsPerMinute: 42, targetPartsPerShift: 9_000 },
      { machineId: 'RF-77', targetPartsPerShift: 5 },
    ],
    parts: [{ partId: 'P-900', partName: 'Ridge 900', machineRates: [{ machineId: 'RF-77', idealPartsPerMinute: 3 }] }],
    downtimeReasons: [
      { id: 'DT-01', reason: 'Coil change, plan', group: 'Planned' },
      { id: 'DT-50', reason: 'Roof leaks' },
    ],
    users: [{ name: 'ada', role: 'supervisor' }],
  };
  expect(await propose(first, '?note=first')).toEqual({ version: 1, isNew: true });
  expect(await propose(first, '?note=again')).toEqual({ version: 1, isNew: false });
  await choose('preview', 1);
  await expect
    .poll(shown, WITHIN)
    .toMatchObject({ standing: 'none', version: null, preview: { version: 1, faults: [], changeCount: 5 } });
  expect((await shown()).preview.changes).toContainEqual({
    kind: 'machines',
    id: 'RF-01',
    change: 'update',
    fields: ['idealPartsPerMinute', 'targetPartsPerShift'],
  });
  expect(await reasonsOf(gateway)).toEqual({ 'DT-01': 'Coil change', 'DT-02': 'Tooling' });

  await choose('rollOut', 1);
  await expect.poll(shown, WITHIN).toMatchObject({
    standing: 'applied',
    version: 1,
    appliedAt: expect.any(String),
    deviations: [{ kind: 'machines', id: 'RF-77', why: 'absent' }],
    preview: null,
  });
  expect(await reasonsOf(gateway)).toEqual({ 'DT-01': 'Coil change, plan', 'DT-02': 'Tooling', 'DT-50': 'Roof leaks' });
  const machine = (await gateway.api('GET', '/plant/machines/RF-01')).body;
  expect(machine).toMatchObject({ name: 'Rollformer 1', targetPartsPerShift: 9_000, topicRoot: 'plant1/rollformer-1' });
  expect((await gateway.api('GET', '/plant/parts/P-900')).body.machineRates).toEqual([]);
  // A person of the central server signs in with her password, which never went over the network.
  expect(await signIn(gateway, 'ada', 'correct-horse')).toBe(200);
  expect(await auditOf(gateway)).toContainEqual(
    expect.objectContaining({ who: 'central server', act: 'applyPlan', subject: 'version 1' }),
  );
  expect((await auditOf(central)).map(({ act, subject }) => `${act} ${subject}`)).toEqual(
    expect.arrayContaining([
      'addGroup North',
      'joinGroup line-3 in North',
      'rollOutPlan North',
      'planApplied line-3 version 1',
    ]),
  );

  expect((await gateway.api('PUT', '/plant/machines/RF-01', { ...machine, name: 'Line 1' })).status).toBe(200);
  await expect
    .poll(async () => (await central.api('GET', '/fleet/machines')).body.machines, WITHIN)
    .toContainEqual(expect.objectContaining({ machineId: 'RF-01', name: 'Line 1' }));
  await gateway.api('PUT', '/plant/downtimeReasons/DT-50', { id: 'DT-50', reason: 'The roof leaks here' });
  await expect
    .poll(async () => (await shown()).deviations, WITHIN)
    .toContainEqual({
      kind: 'downtimeReasons',
      id: 'DT-50',
      why: 'edited',
      fields: ['reason'],
    });
  const second = {
    downtimeReasons: [
      { id: 'DT-50', reason: 'Roof leaks' },
      { id: 'DT-51', reason: 'Snow' },
    ],
  };
  expect(await propose(second)).toEqual({ version: 2, isNew: true });
  await choose('rollOut', 2);
  await expect.poll(shown, WITHIN).toMatchObject({ standing: 'applied', version: 2, deviationCount: 1 });
  // The reason that was there before the plan stays, what the plan had brought goes, and the edited one is not overwritten.
  expect(await reasonsOf(gateway)).toEqual({
    'DT-01': 'Coil change, plan',
    'DT-02': 'Tooling',
    'DT-50': 'The roof leaks here',
    'DT-51': 'Snow',
  });
  expect((await gateway.api('GET', '/plant/parts/P-900')).status).toBe(404);
  expect((await gateway.api('GET', '/plant/users/ada')).status).toBe(404);

  expect(await propose(second, '?overwrite=true')).toEqual({ version: 3, isNew: true });
  await choose('rollOut', 3);
  await expect.poll(shown, WITHIN).toMatchObject({ standing: 'applied', version: 3, deviationCount: 0 });
  expect((await reasonsOf(gateway))['DT-50']).toBe('Roof leaks');
});

it('D-106 a gateway that was away takes the newest plan, and one that it cannot apply changes nothing', async () => {
  const { central, gateway, upstream, shown, propose, choose } = await startPair();
  await gateway.kill();
  await propose({ downtimeReasons: [{ id: 'DT-60', reason: 'Flood' }] });
  await choose('rollOut', 1);
  expect(await shown()).toMatchObject({ standing: 'waiting', version: null });
  const again = await start(upstream, PLANT, gateway.dir);
  await expect.poll(shown, WITHIN).toMatchObject({ standing: 'applied', version: 1 });
  // The gateway has 500 API keys at most.
  const apiKeys = Array.from({ length: 500 }, (_, n) => ({
    principal: `p-${n}`,
    role: 'viewer',
    key: `a-long-key-of-principal-${n}`,
  }));
  await propose({ apiKeys, downtimeReasons: [{ id: 'DT-61', reason: 'Fire' }] });
  await choose('rollOut', 2);
  await expect.poll(shown, WITHIN).toMatchObject({
    standing: 'refused',
    version: 1,
    refused: { version: 2, faults: ['apiKeys: found 501 records, expected at most 500'] },
  });
  expect(await reasonsOf(again)).toMatchObject({ 'DT-60': 'Flood' });
  expect(await reasonsOf(again)).not.toHaveProperty('DT-61');
  await again.kill();
  // Without its central server it works as it is.
  await central.kill();
  const alone = await start(upstream, PLANT, gateway.dir);
  expect(await reasonsOf(alone)).toMatchObject({ 'DT-60': 'Flood' });
});

it('D-106 a start with the plant file leaves the records of the plan as they are, until they are edited there', async () => {
  const file = `${PLANT}users: [ { name: bob, role: technician, password: of-the-file } ]\n`;
  const { gateway, upstream, shown, propose, choose } = await startPair(file);
  await propose({
    machines: [{ machineId: 'RF-01', targetPartsPerShift: 9_000 }],
    downtimeReasons: [{ id: 'DT-01', reason: 'Coil change, plan' }],
    users: [{ name: 'bob', role: 'supervisor', password: 'of-the-plan' }],
  });
  await choose('rollOut', 1);
  await expect.poll(shown, WITHIN).toMatchObject({ standing: 'applied', version: 1, deviationCount: 0 });
  await gateway.kill();

  const changed = file
    .replace('name: Rollformer 1, topicRoot', 'name: Ridge line 1, targetPartsPerShift: 5, topicRoot')
    .replace('reason: Tooling', 'reason: Tool change');
  writeFileSync(path.join(gateway.dir, 'plant.yaml'), changed);
  const again = await start(upstream, changed, gateway.dir);
  const machine = async () => (await again.api('GET', '/plant/machines/RF-01')).body;
  await expect.poll(machine, WITHIN).toMatchObject({ name: 'Ridge line 1', targetPartsPerShift: 9_000 });
  expect(await reasonsOf(again)).toEqual({ 'DT-01': 'Coil change, plan', 'DT-02': 'Tool change' });
  expect(await signIn(again, 'bob', 'of-the-file')).toBe(401);
  expect(await signIn(again, 'bob', 'of-the-plan')).toBe(200);
  expect((await again.api('GET', '/plant/users/bob')).body).toMatchObject({ role: 'supervisor' });
  await expect.poll(shown, WITHIN).toMatchObject({ standing: 'applied', version: 1, deviationCount: 0 });

  await again.api('PUT', '/plant/downtimeReasons/DT-01', { id: 'DT-01', reason: 'Edited' });
  await again.kill();
  const third = await start(upstream, changed, gateway.dir);
  await expect.poll(() => reasonsOf(third), WITHIN).toMatchObject({ 'DT-01': 'Coil change' });
  await expect
    .poll(async () => (await shown()).deviations, WITHIN)
    .toEqual([{ kind: 'downtimeReasons', id: 'DT-01', why: 'edited', fields: ['reason'] }]);
});

it('D-112 the shifts of a group count from the next start of its gateways on', async () => {
  const { gateway, upstream, shown, propose, choose } = await startPair();
  const shifts = { shifts: [{ name: 'Early', start: '05:30' }], daysOff: [{ date: '2026-12-25', name: 'Christmas' }] };
  await propose({ shifts });
  await choose('rollOut', 1);
  await expect.poll(shown, WITHIN).toMatchObject({
    standing: 'applied',
    deviations: [{ kind: 'shifts', why: 'restart', fields: ['shifts', 'daysOff'] }],
  });
  expect((await gateway.api('GET', '/settings')).body).toMatchObject({ ...shifts, restartNeeded: true });
  await gateway.stop();
  const again = await start(upstream, PLANT, gateway.dir);
  await expect.poll(shown, WITHIN).toMatchObject({ standing: 'applied', version: 1, deviationCount: 0 });
  await again.device('status', statusOf());
  const after = (await again.api('GET', '/machines/RF-01/production')).body.shifts;
  expect(after.map(({ shift }: Json) => shift)).toContain('Early');
});
