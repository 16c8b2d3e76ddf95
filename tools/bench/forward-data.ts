import { transact } from '../../src/adapters/store/thread/database/connection.ts';
import { PointQueue } from '../../src/adapters/store/thread/forwarding/queue/point-queue.ts';
import { openCore } from '../../src/adapters/store/thread/store-core.ts';
import { PointJournal } from '../../src/adapters/store/thread/variables/point-journal.ts';
import { machineName, statusJson } from './load-plan.ts';

export interface Outage {
  readonly machines: number;
  readonly statuses: number;
  readonly points: number;
}

const POINTS_PER_ROW = 1_000;
const VARIABLES = 10;
const DAY_MS = 86_400_000;
const OUTAGE_MS = 7 * DAY_MS;

/**
 * Fills an unused data directory with the records of an outage of the central server: packed history, and all of it
 * queued.
 */
export function fillQueue(dataDir: string, gatewayId: string, { machines, statuses, points }: Outage): void {
  const { connection, lock } = openCore({
    dataDir,
    runId: 'fill',
    retention: { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 },
    forwarding: { maxBytes: 2e9, gatewayId, server: 'central' },
    series: [],
    suspect: false,
  });
  const journal = new PointJournal(connection, new PointQueue(connection), true);
  const from = Date.now() - OUTAGE_MS;
  connection
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < @statuses - 1)
       INSERT INTO queue (class, entity, at, epoch, bytes, body)
       SELECT iif(i % 10 = 0, 'change', 'repeat'), 'machine:' || name,
         @from + i * @step, 1, 400, replace(@body, @firstName, name)
       FROM (SELECT i, @prefix || CAST(i % @machines AS INTEGER) AS name FROM n)`,
    )
    .run({
      statuses,
      machines,
      from,
      firstName: machineName(0),
      prefix: machineName(0).slice(0, -1),
      step: OUTAGE_MS / statuses,
      body: statusJson(0, 1),
    });
  const series = connection.prepare('INSERT INTO variable_series (machine_id, name) VALUES (?, ?)');
  transact(connection, () => {
    for (let index = 0; index < machines * VARIABLES; index++) {
      series.run(machineName(Math.floor(index / VARIABLES)), `variable${index % VARIABLES}`);
    }
    const rows = Math.ceil(points / POINTS_PER_ROW);
    for (let row = 0; row < rows; row++) {
      const at = from + (row / rows) * OUTAGE_MS;
      journal.append({
        epoch: 1,
        series: Uint32Array.from({ length: POINTS_PER_ROW }, (_, index) => 1 + (index % (machines * VARIABLES))),
        at: Float64Array.from({ length: POINTS_PER_ROW }, (_, index) => at + index / 10),
        value: Float64Array.from(
          { length: POINTS_PER_ROW },
          (_, index) => Math.round(Math.sin(index + row) * 1e4) / 100,
        ),
        day: new Int32Array(POINTS_PER_ROW).fill(Math.floor(at / DAY_MS)),
      });
    }
    connection.exec('REPLACE INTO variable_packing VALUES (1, 0, 0, (SELECT max(id) FROM variable_recent))');
  });
  connection.close();
  lock.close();
}
