import { expect, it } from 'vitest';
import { type Fetched, MirrorFault, type MirrorFetch } from '../../../src/flows/mirror/mirror-fetch.ts';
import { mirrorOrders } from '../../../src/flows/mirror/mirror-orders.ts';

const SUMMARY: Fetched = { kind: 'bytes', bytes: new TextEncoder().encode('[]\n'), noteTaken: () => undefined };
const ABSENT: Fetched = { kind: 'absent' };
const NAMES = ['/api/v1/orders/orderSummary', '/api/v1/orders/orderSummaries'];

/** The questions to the server and the store, in order. */
async function mirrored(answers: readonly Fetched[], fault: { readonly fault: string } | null = null) {
  const asked: string[] = [];
  const left = answers.values();
  const fetch: Pick<MirrorFetch, 'get'> = {
    get: async (path) => {
      asked.push(path);
      return left.next().value ?? ABSENT;
    },
  };
  const store = {
    mirrorBegin: async (kind: string, scope: string) => {
      asked.push(`begin ${kind} ${scope}`);
    },
    mirrorOrders: async (_: Uint8Array, at: number) => {
      asked.push(`apply at ${at}`);
      return fault;
    },
  };
  const isThere = await mirrorOrders(fetch, store, 7);
  return { isThere, asked };
}

it('D-20 UP-07 a reading of orders begins in the store before the server is asked', async () => {
  const asked = ['begin orders all', NAMES[0], 'apply at 7'];
  expect(await mirrored([SUMMARY])).toEqual({ isThere: true, asked });
});

it('D-21 the summaries are one reading under either of their names', async () => {
  const asked = ['begin orders all', ...NAMES, 'apply at 7'];
  expect(await mirrored([ABSENT, SUMMARY])).toEqual({ isThere: true, asked });
  expect(await mirrored([])).toEqual({ isThere: false, asked: asked.slice(0, 3) });
});

it('UP-07 an answer that is not a list is a fault', async () => {
  await expect(mirrored([SUMMARY], { fault: 'no list' })).rejects.toThrow(MirrorFault);
});
