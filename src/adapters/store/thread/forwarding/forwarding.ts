import type { Forwarding } from '../../protocol.ts';
import type { ClockEpochs } from '../clock-epochs.ts';
import type { Connection } from '../connection.ts';
import { FactReader } from './fact-reader.ts';
import { LaneHeads } from './lane-heads.ts';
import { QueueListing } from './queue-listing.ts';
import { QueueRows } from './queue-rows.ts';
import { Totals } from './queue-totals.ts';
import { RecordJson } from './record-json.ts';
import { RecordQueue } from './record-queue.ts';
import { SetAsideRows } from './set-aside-rows.ts';

/** What is forwarded to the central server, put together: what waits for it, and what is asked about that. */
export interface ForwardingParts {
  readonly queue: RecordQueue;
  readonly lanes: LaneHeads;
  readonly totals: Totals;
  readonly listing: QueueListing;
  readonly setAside: SetAsideRows;
}

/** `forwarding` null: nothing is queued, and what an earlier configuration queued stays and can be looked at. */
export function openForwarding(
  connection: Connection,
  epochs: ClockEpochs,
  forwarding: Forwarding | null,
): ForwardingParts {
  const rows = new QueueRows(connection);
  const totals = new Totals(connection, epochs);
  const setAside = new SetAsideRows(connection, epochs);
  const records = new RecordJson(new FactReader(connection));
  return {
    queue: new RecordQueue({ isOn: forwarding !== null, rows, setAside, totals }),
    lanes: new LaneHeads(connection, epochs),
    totals,
    listing: new QueueListing(rows, epochs, records),
    setAside,
  };
}
