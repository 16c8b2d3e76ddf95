import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Postgres } from '../../src/central/postgres/postgres.ts';
import { PostgresTurns } from '../../src/central/received/gateway-turns.ts';
import { isGatewayRecord } from '../../src/central/received/gateway-writer.ts';
import type { ReceivedStore } from '../../src/central/received/received-store.ts';
import type { ShiftTotals } from '../../src/domain/machine/counters/counters.ts';
import type { BatchFact, PointSeries } from '../../src/domain/sync/batch.ts';
import { BatchReceiver } from '../../src/flows/receive/batch-receiver.ts';
import { RF1, SHIFT_DATE, START_AT } from '../adapters/store/open-test-store.ts';
import { BatchSender, NO_BUSINESS } from '../fakes/batch-sender.ts';
import { openTestPostgres, openTestReceivedStore } from './central-under-test.ts';

export const HOUR_MS = 3_600_000;

/** A database as reports see it: gateways have sent to it, and `read` asks as a member of the role for readers. */
export interface ReportedCentral {
  readonly url: string;
  readonly store: ReceivedStore;
  readonly postgres: Postgres;
  send(
    gatewayId: string,
    facts: readonly BatchFact[],
    points?: readonly PointSeries[],
    plantId?: string,
  ): Promise<void>;
  read<Row extends object>(text: string): Promise<readonly Row[]>;
}

export async function openReportedCentral(url: string): Promise<ReportedCentral> {
  const postgres = await openTestPostgres(url);
  const store = await openTestReceivedStore(postgres);
  const receiver = new BatchReceiver({
    store: { ...store, write: (records) => store.write(records.filter(isGatewayRecord)) },
    operationsIn: () => NO_BUSINESS,
    incidents: { report: () => undefined },
    clock: { now: () => ({ monotonicMs: performance.now(), wallMs: START_AT }) },
    turns: new PostgresTurns(postgres, 8),
    exchange: null,
  });
  const reader = await connectReader(url);
  return {
    url,
    store,
    postgres,
    send: async (gatewayId, facts, points = [], plantId = 'default') => {
      const batch = new BatchSender(gatewayId, randomUUID).queue(facts, points).batch();
      if (batch === null) throw new Error('nothing waits');
      await receiver.receive({ bytes: batch.gzip, isGzip: true }, { principal: 'sam', plantId });
    },
    read: async <Row extends object>(text: string) => (await reader.query(text)).rows as Row[],
  };
}

/** A client that signs in as a person who may read the views. */
async function connectReader(url: string): Promise<pg.Client> {
  const name = `analyst-${randomUUID()}`;
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query(`CREATE ROLE "${name}" LOGIN IN ROLE plantgate_reader`);
  await owner.end();
  const address = new URL(url);
  address.username = name;
  const reader = new pg.Client({ connectionString: address.href, options: '-c TimeZone=UTC' });
  await reader.connect();
  onTestFinished(() => reader.end());
  return reader;
}

const NO_TOTALS = {
  ...{ goodParts: 0, badParts: 0, cycles: 0, runningMs: 0, stoppedMs: 0 },
  ...{ downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 },
};

export function shiftFact(totals: Partial<ShiftTotals>, shiftDate = SHIFT_DATE, shiftName = 'Day'): BatchFact {
  const shift = { machineId: RF1, shiftDate, shiftName, totals: { ...NO_TOTALS, ...totals } };
  return { kind: 'shift', shift };
}

export function stopFact(startedAt: number, endedAt: number | null, reasonId: string | null): BatchFact {
  const downtimeId = `stop-${startedAt}`;
  const told = { note: null, userName: null };
  return { kind: 'downtime', downtime: { downtimeId, machineId: RF1, startedAt, endedAt, reasonId, ...told } };
}

export function statusFact(json: string, at = START_AT): BatchFact {
  return { kind: 'status', sample: { machineId: RF1, at, why: 'change', json } };
}

/** A point each second. */
export function secondsOf(name: string, from: number, count: number): PointSeries {
  const at = Array.from({ length: count }, (_, index) => from + index * 1_000);
  return { machineId: RF1, name, shiftDate: SHIFT_DATE, at, value: at.map((_, index) => index) };
}
