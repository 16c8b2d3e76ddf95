import { type Connection, transact } from '../../src/adapters/store/thread/database/connection.ts';
import { PointQueue } from '../../src/adapters/store/thread/forwarding/queue/point-queue.ts';
import { openCore, type StoreCore } from '../../src/adapters/store/thread/store-core.ts';
import { PointJournal } from '../../src/adapters/store/thread/variables/point-journal.ts';
import type { PointGroup } from '../../src/adapters/store/thread/variables/recent-points.ts';
import { machineName } from '../bench/load-plan.ts';

const MACHINES = 200;
const VARIABLES = 10;
const POINTS_PER_GROUP = 2_000;
const DAY_MS = 86_400_000;
const PERIOD_MS = 30 * DAY_MS;
const PACK_AT = 300_000;
/** The maximum number of unpacked points, less those of the newest commit: a start reads them (block-packer.ts). */
const UNPACKED = 290_000;

/** The number of spans in a million rows; the others are points of variables. */
const SPANS = 100_000;
const DOWNTIMES = 30_000;
const SESSIONS = 20_000;
const QUARTERS = 30_000;
const ANOMALIES = 5_000;
/** One downtime in this number waits for its category. */
const UNCATEGORIZED_EVERY = 50;

/** Fills an unused data directory with a month of a plant with 200 machines, `millions` million rows in total. */
export function fillHistory(dataDir: string, millions: number): void {
  const core = openCore({
    dataDir,
    runId: 'fill',
    retention: { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 },
    forwarding: null,
    series: [],
    suspect: false,
  });
  fillEvents(core.connection, millions);
  const points = millions * (1_000_000 - SPANS - DOWNTIMES - SESSIONS - QUARTERS - ANOMALIES);
  fillPoints(core, points);
  core.connection.close();
  core.lock.close();
}

/** Rows numbered from 0, spread over the machines and the period by these expressions. */
const NUMBERED = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < @rows - 1),
  r AS (SELECT i, @prefix || CAST(i % @machines AS INTEGER) AS machine, @from + i * (@period / @rows) AS at,
    printf('01JD%022d', i) AS id FROM n)`;

/** The columns of each table in their order. */
const EVENTS: readonly (readonly [table: string, perMillion: number, columns: string])[] = [
  ['span', SPANS, `id, machine, iif(i % 2, 'running', 'stopped'), at, at + 60000, 1`],
  [
    'downtime',
    DOWNTIMES,
    `id, machine, at, at + 600000, iif(i % ${UNCATEGORIZED_EVERY}, 'DT-01', NULL), NULL, NULL, 1`,
  ],
  ['work_session', SESSIONS, `id, machine, 'J-' || i, 'P-100', 'pat', at, at + 600000, at + 600000, 100, 1, 101, 1`],
  [
    'production_quarter',
    QUARTERS,
    `machine, strftime('%Y-%m-%d', at / 1000, 'unixepoch'), 'Day', CAST(at / 900000 AS INTEGER) * 900000 + i,
     at, 0, 25, 1, 26, 800000, 100000, 0, 0, 0, 0`,
  ],
  ['anomaly', ANOMALIES, `machine, at, 'cycle', 10, 0, 1`],
];

function fillEvents(connection: Connection, millions: number): void {
  const prefix = machineName(0).slice(0, -1);
  const common = { machines: MACHINES, prefix, from: Date.now() - PERIOD_MS, period: PERIOD_MS };
  for (const [table, perMillion, columns] of EVENTS) {
    const rows = perMillion * millions;
    connection.prepare(`${NUMBERED} INSERT INTO ${table} SELECT ${columns} FROM r`).run({ ...common, rows });
  }
}

function fillPoints({ connection, packer, recent }: StoreCore, points: number): void {
  const journal = new PointJournal(connection, new PointQueue(connection), false);
  const insert = connection.prepare('INSERT INTO variable_series (machine_id, name) VALUES (?, ?)');
  transact(connection, () => {
    for (let index = 0; index < MACHINES * VARIABLES; index++)
      insert.run(machineName(Math.floor(index / VARIABLES)), `variable${index % VARIABLES}`);
  });
  const pack = () => {
    packer.begin();
    while (packer.isPacking) packer.slice();
  };
  const groups = Math.ceil(points / POINTS_PER_GROUP);
  const from = Date.now() - PERIOD_MS;
  for (let group = 0; group < groups; group++) {
    const added = pointsAt(from + (group / groups) * PERIOD_MS, group);
    transact(connection, () => journal.append(added));
    recent.add(added);
    const left = points - (group + 1) * POINTS_PER_GROUP;
    if (left >= UNPACKED && (recent.count >= PACK_AT || left < UNPACKED + POINTS_PER_GROUP)) pack();
  }
}

/** One point of each series, within a second. */
function pointsAt(at: number, group: number): PointGroup {
  const length = POINTS_PER_GROUP;
  return {
    epoch: 1,
    series: Uint32Array.from({ length }, (_, index) => 1 + index),
    at: Float64Array.from({ length }, (_, index) => at + index / 2),
    value: Float64Array.from({ length }, (_, index) => Math.round(Math.sin(index + group) * 1e4) / 100),
    day: new Int32Array(length).fill(Math.floor(at / DAY_MS)),
  };
}
