import { expect, it } from 'vitest';
import { PlanSource } from '../../../src/flows/fleet-plan/plan-source.ts';

it('D-106 the plans that hundreds of gateways fetch at once are made one after the other', async () => {
  let asked = 0;
  let most = 0;
  const record = { groupId: 'g', version: 1, at: 1, who: 'ada', note: '', overwrite: false, records: 1 };
  const store = {
    planTarget: async () => null,
    releasedUpdate: async () => null,
    planVersion: async () => {
      asked += 1;
      most = Math.max(most, asked);
      await new Promise(setImmediate);
      asked -= 1;
      return { version: record, plan: '{}' };
    },
  };
  const source = new PlanSource({ store, archives: { read: async () => null }, fleet: { gateway: () => null } });
  const target = { groupId: 'g', rollOut: 1, preview: 1, update: null };
  const answers = await Promise.all(Array.from({ length: 250 }, () => source.bytes(target)));
  const plan = { version: 1, overwrite: false, plan: {} };
  for (const bytes of answers) {
    const sent = { groupId: 'g', rollOut: plan, preview: plan, update: null };
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(sent);
  }
  expect(most).toBe(1);
});
