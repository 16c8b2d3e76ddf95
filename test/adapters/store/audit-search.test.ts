import { expect, onTestFinished, test } from 'vitest';
import { AuditTrail } from '../../../src/adapters/store/thread/audit-trail.ts';
import { openSchema } from './open-test-store.ts';

test('F18 commits pass between the slices of a search for many names in 20,000 entries', async () => {
  const connection = openSchema();
  const trail = new AuditTrail(connection);
  const entry = { who: 'pat', role: 'technician', address: '127.0.0.1', before: null, after: 'x'.repeat(300) } as const;
  connection.transaction(() => {
    for (let at = 0; at < 20_000; at += 1) {
      trail.write({ ...entry, entryId: `e${at}`, at, act: 'name reason', subject: `Stop ${at}` });
    }
  })();
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
  }, 0);
  onTestFinished(() => clearInterval(count));
  const texts = ['STOP 7', ...Array.from({ length: 20 }, (_, at) => `machine-${at}`)];
  const { entries, next } = await trail.page({ before: 1_001, take: 1, texts, range: null });
  expect([entries.map(({ subject }) => subject), next]).toEqual([['Stop 799'], 800]);
  const nothing = await trail.page({ before: null, take: 100, texts: texts.slice(1), range: null });
  expect(nothing).toEqual({ entries: [], next: null, total: 0 });
  expect(turns).toBeGreaterThan(2);
});

test('D-106 D-107 a gateway is found where the subject or the change names it, and no other whose id contains its id', async () => {
  const connection = openSchema();
  const trail = new AuditTrail(connection);
  const acts: readonly (readonly [act: string, subject: string, after: object | null])[] = [
    ['grantName', 'north-1', { stream: 's' }],
    ['renameGateway', 'north-1', { name: 'North' }],
    ['joinGroup', 'north-1 in All', null],
    ['planApplied', 'north-1 version 2', { deviationCount: 0 }],
    ['giveUpdate', '1.5.0', { gateways: [...Array.from({ length: 60 }, (_, at) => `hall-${at}`), 'north-1'] }],
    ['stopUpdate', '1.5.0', { why: 'north-1: it is not heard any more' }],
    ['takeAlert', 'gatewaySilent north-1', null],
    ['moveGateway', 'north-1', { plantId: 'south' }],
    ['retireGateway', 'north-1', null],
  ];
  const others = ['north-10', 'far-north-1', 'north-1.hall', 'xnorth-1'];
  const namedOther = others.flatMap((id) => acts.map(([...act]) => JSON.stringify(act).replaceAll('north-1', id)));
  const all = [...acts.map((act) => JSON.stringify(act)), ...namedOther, '["signIn", "pat", null]'];
  connection.transaction(() => {
    for (const [at, text] of all.entries()) {
      const [act, subject, after] = JSON.parse(text);
      const change = { before: null, after: after === null ? null : JSON.stringify(after) };
      trail.write({ entryId: `e${at}`, at, who: 'north-1', role: 'admin', address: '', act, subject, ...change });
    }
  })();
  const ask = (gatewayId: string, more: object = {}) =>
    trail.page({ before: null, take: 100, texts: [], range: null, gatewayId, ...more });
  const found = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).entries.map(({ act }) => act);
  const expected = acts.map(([act]) => act).toReversed();
  expect(await found('north-1')).toEqual(expected);
  expect(await found('north-10')).toEqual(expected);
  expect(await found('north-1', { texts: ['UPDATE'] })).toEqual(['stopUpdate', 'giveUpdate']);
  expect(await found('north')).toEqual([]);
  const page = await ask('north-1', { take: 2 });
  expect(page).toMatchObject({ entries: [{ act: 'retireGateway' }, { act: 'moveGateway' }], next: 8, total: null });
  expect(await found('north-1', { before: page.next })).toEqual(expected.slice(2));
  expect((await ask('north-1')).total).toBe(acts.length);
});
