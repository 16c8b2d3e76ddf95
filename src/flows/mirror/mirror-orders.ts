import { MirrorFault, type MirrorFetch } from './mirror-fetch.ts';
import type { MirrorQueries } from './mirror-ports.ts';

/** The interface leaves open under which of two names the summaries are served (D-21). */
const PATHS = ['/api/v1/orders/orderSummary', '/api/v1/orders/orderSummaries'] as const;

/** Mirrors the summaries of orders. False: the server has none. Rejects with MirrorFault, and nothing was changed. */
export async function mirrorOrders(
  fetch: Pick<MirrorFetch, 'get'>,
  store: Pick<MirrorQueries, 'mirrorBegin' | 'mirrorOrders'>,
  at: number,
): Promise<boolean> {
  await store.mirrorBegin('orders', 'all');
  for (const path of PATHS) {
    const fetched = await fetch.get(path, false);
    if (fetched.kind !== 'bytes') continue;
    const outcome = await store.mirrorOrders(fetched.bytes, at);
    if (outcome !== null) throw new MirrorFault(`${path}: ${outcome.fault}`);
    return true;
  }
  return false;
}
