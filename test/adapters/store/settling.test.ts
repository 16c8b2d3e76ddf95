import { beforeEach, describe, expect, it } from 'vitest';
import { createdProfile } from '../../../src/domain/profile/library.ts';
import type { Operation } from '../../../src/domain/sync/operation.ts';
import { OperationSender } from '../../../src/flows/forward/operation-sender.ts';
import type { CentralAnswer, CentralRequest } from '../../../src/flows/forward/upstream-ports.ts';
import type { Store } from '../../../src/flows/store-ports.ts';
import { PROFILE_CONTENT } from '../../domain/profile/any-profile.ts';
import { openTestStore } from './open-test-store.ts';

const PROFILE = createdProfile('P-1', PROFILE_CONTENT, { principal: 'office', date: '2026-03-04T08:00:00Z' });
const PROFILE_PUT: Operation = { type: 'profilePut', profile: PROFILE };
const ORDER_PUT: Operation = { type: 'orderPut', orderKey: 'documentID D-1', json: '{}', isNew: true };
const LONG = 'x'.repeat(20_000);

let store: Store;

beforeEach(async () => {
  ({ store } = await openTestStore());
});

/** An answer that only another thread can read: the copy for that thread leaves the trap behind. */
function untouchable(text: string): CentralAnswer {
  const trap = () => {
    throw new Error('read on the main thread');
  };
  return answered(Object.assign(Buffer.from(text), { toString: trap }));
}

function answered(bytes: Buffer<ArrayBuffer>): CentralAnswer {
  return { kind: 'answered', status: 200, headers: {}, bytes, extent: 'whole' };
}

/**
 * Sends an act again whose first answer was lost, to a server that answers questions with these texts, one after the
 * other.
 */
async function settled(act: Operation, answers: readonly string[]) {
  const asked: string[] = [];
  const left = [...answers];
  const server = {
    ask: async ({ method, path }: CentralRequest) => {
      asked.push(`${method} ${path.split('?')[0]}`);
      return method === 'GET' ? untouchable(left.shift() ?? '[]') : answered(Buffer.from('{}'));
    },
    close: async () => undefined,
  };
  const memory = async () => ({ isBegun: true, name: null });
  const sender = new OperationSender({
    store: { sendMemory: memory, write: async () => undefined },
    settling: store,
    server,
  });
  const outcome = await sender.send(1, { operationId: 'op', at: 0, principal: 'office', act });
  return { outcome, asked };
}

/** A page of 200 profiles, of 4 MB: every second one without an id, and `mine` in its place. */
function page(from: number, mine: object | null): string {
  const others: object[] = Array.from({ length: 200 }, (_, index) => ({
    ...PROFILE_CONTENT,
    profileName: `other ${from + index}`,
    description: LONG,
    ...((from + index) % 2 === 0 && { profileId: from + index }),
  }));
  return JSON.stringify(mine === null ? others : others.with(100, { ...others[100], ...mine }));
}

describe('operations that are settled by reading', () => {
  it('D-30 find a new profile in pages of megabytes, which the main thread does not read', async () => {
    const pages = [page(0, null), page(199, { ...PROFILE_CONTENT, profileId: 'P-77' })];
    const last = JSON.stringify([JSON.parse(page(199, null))[199]]);
    const { outcome, asked } = await settled(PROFILE_PUT, [...pages, last]);
    expect(outcome).toEqual({
      kind: 'sent',
      records: [{ kind: 'profileNamed', profileId: 'P-1', upstreamId: 'P-77', createdAt: null }],
    });
    expect(asked).toEqual(Array(3).fill('GET /api/v1/profiles'));
  });

  it('D-30 UP-02 do not take an equal profile that is known as another one of ours', async () => {
    const forwarding = { gatewayId: 'gate', maxBytes: 1_000_000, server: 'central' };
    ({ store } = await openTestStore({ forwarding }));
    await store.write([{ kind: 'profileNamed', profileId: 'P-0', upstreamId: 'U-0', createdAt: null }]);
    const list = (...ids: readonly string[]) => JSON.stringify(ids.map((id) => ({ ...PROFILE_CONTENT, id })));
    expect((await settled(PROFILE_PUT, [list('U-0'), list('U-0')])).asked.at(-1)).toBe('POST /api/v1/profiles');
    const both = list('U-0', 'U-1');
    expect((await settled(PROFILE_PUT, [both, both])).outcome).toMatchObject({
      kind: 'sent',
      records: [{ profileId: 'P-1', upstreamId: 'U-1' }],
    });
  });

  it.each([
    { case: 'an object', text: '{"errors":[]}' },
    { case: 'no JSON', text: 'none' },
  ])('D-30 guess nothing from a list of profiles that is $case', async ({ text }) => {
    expect((await settled(PROFILE_PUT, [text])).outcome).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('listed in an unknown form'),
    });
  });

  it('D-51 wait if a page comes in the place of a list of profiles', async () => {
    expect((await settled(PROFILE_PUT, ['<html>'])).outcome).toMatchObject({ kind: 'later', doubtsServer: true });
  });

  it.each([
    { where: 'at the beginning', at: 0 },
    { where: 'in the middle', at: 20_000 },
    { where: 'at the end', at: 39_999 },
  ])('D-30 find an order $where of a summary of megabytes, which the main thread does not read', async ({ at }) => {
    const rows = Array.from({ length: 40_000 }, (_, index) => `- documentIDs: ["X-${index}", "Y"]\n  note: ${index}\n`);
    rows[at] = '- orderCode: a\n  documentIDs:\n    - "D-1"\n';
    expect((await settled(ORDER_PUT, [rows.join('')])).outcome).toEqual({ kind: 'sent', records: [] });
    rows[at] = '- orderCode: "D-10"\n';
    expect((await settled(ORDER_PUT, [rows.join('')])).asked.at(-1)).toBe('POST /api/v1/orders/add');
  });
});
