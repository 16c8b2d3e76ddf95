import type { SettleQueries } from '../../../../flows/forward/settle-ports.ts';
import type { Forwarding } from '../../protocol.ts';
import type { ClockEpochs } from '../clock-epochs.ts';
import type { Connection } from '../database/connection.ts';
import type { PointJournal } from '../variables/point-journal.ts';
import type { RecentPoints } from '../variables/recent-points.ts';
import { ExpiredFacts } from './expired-facts.ts';
import { FactReader } from './fact-reader.ts';
import { OutgoingBatches } from './outgoing-batches.ts';
import { DeadLetters } from './queue/dead-letters.ts';
import type { PointQueue } from './queue/point-queue.ts';
import { QueueHeads } from './queue/queue-heads.ts';
import { QueueListing } from './queue/queue-listing.ts';
import { QueueRows } from './queue/queue-rows.ts';
import { Totals } from './queue/queue-totals.ts';
import { RecordQueue } from './queue/record-queue.ts';
import { StatusQueues } from './queue/status-queues.ts';
import { WaitingPoints } from './queue/waiting-points.ts';
import { RecordJson } from './record-json.ts';
import { SendMemories } from './send-memories.ts';
import { SeriesNames } from './series-names.ts';
import { settling } from './settling.ts';
import { Thinning } from './thinning.ts';
import { UpstreamNames } from './upstream-names.ts';

/** The parts of forwarding in the store thread: the queue, and the questions about it. */
export interface ForwardingParts {
  readonly queue: RecordQueue;
  readonly entityQueues: QueueHeads;
  readonly totals: Totals;
  readonly listing: QueueListing;
  readonly setAside: DeadLetters;
  readonly memories: SendMemories;
  readonly upstreamNames: UpstreamNames;
  readonly settling: SettleQueries;
  readonly points: WaitingPoints;
  readonly batches: OutgoingBatches;
  readonly thinning: Thinning;
  readonly statuses: StatusQueues;
  readonly expired: ExpiredFacts;
}

interface Surroundings {
  readonly epochs: ClockEpochs;
  readonly journal: PointJournal;
  readonly pointQueue: PointQueue;
  readonly recent: RecentPoints;
  /** Null if nothing is queued; rows of an earlier configuration stay and can be listed. */
  readonly settings: Forwarding | null;
}

export function openForwarding(connection: Connection, surroundings: Surroundings): ForwardingParts {
  const { epochs, journal, pointQueue, recent, settings } = surroundings;
  const rows = new QueueRows(connection);
  const totals = new Totals(connection, epochs);
  const setAside = new DeadLetters(connection, epochs);
  const upstreamNames = new UpstreamNames(connection, settings?.server ?? null);
  const memories = new SendMemories(connection, upstreamNames);
  const facts = new FactReader(connection);
  const records = new RecordJson(facts);
  const names = new SeriesNames(connection);
  const points = new WaitingPoints({ journal, queue: pointQueue, names, epochs });
  const statuses = new StatusQueues(connection, rows, epochs);
  const shared = { connection, rows, totals, journal, queue: pointQueue };
  const batches = new OutgoingBatches({
    ...shared,
    ...{ records, epochs, names, setAside, memories, statuses },
    gatewayId: settings?.gatewayId ?? null,
  });
  return {
    queue: new RecordQueue({
      connection,
      isOn: settings !== null,
      rows,
      setAside,
      memories,
      totals,
      points,
      batches,
      statuses,
    }),
    entityQueues: new QueueHeads(connection, statuses, epochs),
    totals,
    listing: new QueueListing(rows, epochs, records),
    setAside,
    memories,
    upstreamNames,
    settling: settling(upstreamNames),
    points,
    batches,
    statuses,
    expired: new ExpiredFacts(connection, { rows, facts, totals, epochs }),
    thinning: new Thinning({ ...shared, recent, maxBytes: settings?.maxBytes ?? null }),
  };
}
