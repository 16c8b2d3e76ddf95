import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseRisks } from '../../src/central/postgres/database-risks.ts';
import { migrate } from '../../src/central/postgres/migrate.ts';
import { Postgres } from '../../src/central/postgres/postgres.ts';
import { PostgresTurns } from '../../src/central/received/gateway-turns.ts';
import { isGatewayRecord } from '../../src/central/received/gateway-writer.ts';
import { PostgresPresence } from '../../src/central/received/presence.ts';
import { openReceivedStore, type ReceivedStore } from '../../src/central/received/received-store.ts';
import { CodedError } from '../../src/domain/error.ts';
import type { BatchFact, PointSeries } from '../../src/domain/sync/batch.ts';
import { receivedMachineId } from '../../src/domain/sync/received-id.ts';
import { BatchReceiver } from '../../src/flows/receive/batch-receiver.ts';
import { oneOf, seededRandom } from '../../src/simulator/random.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { quietLog, RF1, SHIFT_DATE, START_AT } from '../adapters/store/open-test-store.ts';
import { BadLine } from '../fakes/bad-line.ts';
import { BatchSender, NO_BUSINESS } from '../fakes/batch-sender.ts';
import { announceSeed, FAULT_ROUNDS } from '../rounds.ts';

const GATEWAYS = 8;
const NODES = 3;
const BATCHES_BETWEEN = 20;
const SERIES = 5;
const RETRY_MS = 20;
const STARTED_AGAIN_WITHIN_MS = 300;

const seed = announceSeed('nodes on one database');
const random = seededRandom(seed);
let server: LocalPostgres;
let nodes: Node[];

beforeAll(async () => {
  server = await LocalPostgres.start({ isDurable: true });
  nodes = Array.from({ length: NODES }, () => new Node(server.url()));
  await migrate(nodes[0]?.postgres ?? expect.fail('no node'));
}, 60_000);
afterAll(async () => {
  await Promise.all(nodes.map(({ postgres }) => postgres.close()));
  await server.end();
});

/** A node of the central server. */
class Node {
  readonly postgres: Postgres;
  readonly receiver: BatchReceiver;

  constructor(url: string) {
    this.postgres = new Postgres({ url, maxConnections: GATEWAYS, log: quietLog });
    const store = storeOf(this.postgres);
    this.receiver = new BatchReceiver({
      store: { ...store, write: (records) => store.write(records.filter(isGatewayRecord)) },
      operationsIn: () => NO_BUSINESS,
      incidents: { report: () => undefined },
      clock: { now: () => ({ monotonicMs: performance.now(), wallMs: START_AT }) },
      turns: new PostgresTurns(this.postgres, GATEWAYS),
      exchange: new PostgresPresence(this.postgres),
    });
  }
}

function storeOf(postgres: Postgres): ReceivedStore {
  return openReceivedStore({ postgres, maxGateways: 2_000, wallMs: () => START_AT });
}

/** A gateway that sends points and counts of parts, and sends a batch again until it has an answer. */
class Gateway {
  readonly sender: BatchSender;
  sent = 0;
  retries = 0;

  constructor(gatewayId: string) {
    this.sender = new BatchSender(gatewayId, randomUUID);
  }

  async deliver(): Promise<void> {
    this.sent += 1;
    const at = START_AT + this.sent;
    const series = Array.from(
      { length: SERIES },
      (_, index): PointSeries => ({
        machineId: RF1,
        name: `series-${index}`,
        shiftDate: SHIFT_DATE,
        at: [at],
        value: [this.sent],
      }),
    );
    this.sender.queue([shift(this.sent)], series);
    const batch = this.sender.batch();
    if (batch === null) throw new Error('nothing waits');
    while (!(await this.#isTaken(batch.gzip))) {
      this.retries += 1;
      await pause(RETRY_MS);
    }
    this.sender.acknowledged(batch.digest);
  }

  /** Sends it to one node, or to two at the same moment. Some answers are lost. */
  async #isTaken(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const asked = random() < 0.2 ? [anyNode(), anyNode()] : [anyNode()];
    const answers = await Promise.allSettled(
      asked.map(({ receiver }) => receiver.receive({ bytes, isGzip: true }, { principal: 'sam', plantId: 'default' })),
    );
    for (const answer of answers) {
      const isConflict =
        answer.status === 'rejected' && answer.reason instanceof CodedError && answer.reason.code === 'conflict';
      if (isConflict) throw answer.reason;
    }
    return answers.some(({ status }) => status === 'fulfilled') && random() > 0.1;
  }
}

function anyNode(): Node {
  const [first, ...others] = nodes;
  if (first === undefined) throw new Error('no node');
  return oneOf(first, others, random);
}

function shift(goodParts: number): BatchFact {
  const none = { badParts: 0, runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
  const totals = { ...none, goodParts, cycles: goodParts };
  return { kind: 'shift', shift: { machineId: RF1, shiftDate: SHIFT_DATE, shiftName: 'Day', totals } };
}

/** The database stops as in a power cut, or connections of nodes break amid their transactions. */
async function disturb(): Promise<void> {
  await pause(random() * 200);
  if (random() < 0.3) {
    await server.breakConnections();
    return;
  }
  await server.stop('immediate');
  await pause(random() * STARTED_AGAIN_WITHIN_MS);
  await server.start();
}

it(`D-100 UP-02 seed ${seed}: nothing is lost or doubled while the database is stopped, connections break, answers are lost, and batches come to two nodes at once`, {
  timeout: 60_000 + FAULT_ROUNDS * 10_000,
}, async () => {
  const gateways = Array.from({ length: GATEWAYS }, (_, index) => new Gateway(`gateway-${index}`));
  for (let stop = 0; stop < FAULT_ROUNDS; stop += 1) {
    await Promise.all([
      disturb(),
      ...gateways.map(async (gateway) => {
        for (let batch = 0; batch < BATCHES_BETWEEN; batch += 1) await gateway.deliver();
      }),
    ]);
  }
  expect(gateways.reduce((sum, { retries }) => sum + retries, 0)).toBeGreaterThan(0);
  for (const gateway of gateways) await check(gateway);
});

it(`D-100 D-89 seed ${seed}: a synchronous standby takes over ${FAULT_ROUNDS} times under load; nothing is lost or doubled, and batches go on within 30 s`, {
  timeout: 60_000 + FAULT_ROUNDS * 40_000,
}, async () => {
  let primary = await LocalPostgres.start({ isDurable: true });
  const line = new BadLine(() => primary.port);
  await line.start();
  const before = nodes;
  const url = line.url.replace('http:', 'postgres://postgres@').replace('@//', '@').concat('postgres');
  nodes = Array.from({ length: NODES }, () => new Node(url));
  const postgres = nodes[0]?.postgres ?? expect.fail('no node');
  const servers = [primary];
  try {
    await migrate(postgres);
    const gateways = Array.from({ length: GATEWAYS }, (_, index) => new Gateway(`failing-over-${index}`));
    for (let round = 0; round < FAULT_ROUNDS; round += 1) {
      const standby = await LocalPostgres.standbyOf(primary);
      servers.push(standby);
      expect(await databaseRisks(postgres)).toEqual([]);
      let isOver = false;
      const work = gateways.map(async (gateway) => {
        while (!isOver) await gateway.deliver();
        // The first one after the failover may have been committed before it.
        await gateway.deliver();
      });
      await pause(random() * 1_000);
      const died = primary;
      await died.stop('immediate');
      const diedMs = performance.now();
      primary = standby;
      await standby.promote();
      isOver = true;
      await Promise.all(work);
      expect(performance.now() - diedMs).toBeLessThan(30_000);
      await died.end();
    }
    for (const gateway of gateways) await check(gateway);
  } finally {
    await Promise.all(nodes.map((node) => node.postgres.close()));
    nodes = before;
    await line.stop();
    await Promise.all(servers.map((server) => server.end()));
  }
});

/** Every point is there once, and the totals are the newest ones. */
async function check({ sender: { gatewayId }, sent }: Gateway): Promise<void> {
  const store = storeOf(anyNode().postgres);
  const machineId = receivedMachineId(gatewayId, RF1);
  const expected = Array.from({ length: sent }, (_, index) => index + 1);
  for (let index = 0; index < SERIES; index += 1) {
    const { points } = await store.variablePoints(machineId, `series-${index}`, { shiftDate: SHIFT_DATE });
    expect(points.map(({ value }) => value)).toEqual(expected);
  }
  expect(await store.shifts(machineId, SHIFT_DATE)).toMatchObject([{ totals: { goodParts: sent } }]);
}
