import type { SyncQueries } from '../../../../flows/forward/sync-ports.ts';
import type { Questions } from '../../protocol.ts';
import type { ForwardingParts } from './forwarding.ts';

type Answers = {
  readonly [K in keyof SyncQueries]: (
    ...args: Questions[K]['ask']
  ) => Questions[K]['answer'] | Promise<Questions[K]['answer']>;
};

/** The handlers of questions about forwarding. */
export function forwardingAnswers({
  entityQueues,
  totals,
  listing,
  setAside,
  memories,
  points,
  batches,
}: ForwardingParts): Answers {
  return {
    outgoingBatch: () => batches.next(),
    queueHeads: (except, limit) => entityQueues.list(except, limit),
    pointsPage: (shiftDate, limit) => points.page(shiftDate, limit),
    isQueued: (entity) => entityQueues.isQueued(entity),
    queueTotals: (server) => totals.of(server),
    setAsideRows: (limit, after) => (after === undefined ? setAside.newest(limit) : setAside.page(after, limit)),
    sendMemory: (seq, profileId) => memories.of(seq, profileId),
    queueRows: (after, limit) => listing.page(after, limit),
  };
}
