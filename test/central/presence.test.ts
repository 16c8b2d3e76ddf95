import { afterAll, expect, it } from 'vitest';
import { PostgresPresence } from '../../src/central/received/presence.ts';
import { KeyedMutex } from '../../src/flows/keyed-mutex.ts';
import { BatchReceiver, type BatchReceiverOptions } from '../../src/flows/receive/batch-receiver.ts';
import type { GatewayTurns, PresenceExchange, StreamSighting } from '../../src/flows/receive/receive-ports.ts';
import { NO_BUSINESS } from '../fakes/batch-sender.ts';
import { endPostgresServer, openTestPostgres } from './central-under-test.ts';

const GATEWAY_ID = 'plant-1';

afterAll(endPostgresServer);

/** Two nodes of a central server that share what they heard, and a clock at hand. */
class TwoNodes {
  nowMs = 100_000;
  holder = 'original';
  readonly #shared = new Map<string, StreamSighting & { readonly toldMs: number }>();
  readonly #turns: GatewayTurns = new KeyedMutex('gateway', 8);
  readonly nodes = [this.#node(), this.#node()] as const;

  async send(node: 0 | 1, stream: string): Promise<string> {
    try {
      await this.nodes[node].receive(
        { bytes: new Uint8Array(Buffer.from(stream)), isGzip: false },
        { principal: 'sam', plantId: 'default' },
      );
      return 'taken';
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  }

  async tell(): Promise<void> {
    for (const node of this.nodes) await node.tellHeard();
  }

  #node(): BatchReceiver {
    const streams: string[] = [];
    const store: BatchReceiverOptions['store'] = {
      readBatch: async ({ bytes }) => {
        const stream = Buffer.from(bytes).toString();
        return { kind: 'read', ticket: streams.push(stream) - 1, gatewayId: GATEWAY_ID, stream };
      },
      judgeBatch: async () => ({
        kind: 'next',
        standing: { holder: this.holder, owner: 'sam', plantId: 'default', isRefused: false },
      }),
      batchOperations: async () => ({ kind: 'operations', operations: [], isEnd: true }),
      applyBatch: async () => ({
        kind: 'applied',
        answer: { position: 'a', isRepeated: false, refused: [] },
        records: 1,
      }),
      dropBatch: async () => undefined,
      write: async (records) => {
        for (const record of records) if (record.kind === 'nameTaken') this.holder = record.stream;
      },
    };
    const clock = { now: () => ({ monotonicMs: this.nowMs, wallMs: this.nowMs }) };
    const incidents = { report: () => undefined };
    return new BatchReceiver({
      store,
      operationsIn: () => NO_BUSINESS,
      incidents,
      clock,
      turns: this.#turns,
      exchange: this.#exchange(),
    });
  }

  #exchange(): PresenceExchange {
    return {
      tell: async (sightings) => {
        for (const one of sightings) this.#shared.set(one.stream, { ...one, toldMs: this.nowMs });
      },
      tellWaiting: async ({ stream }, isWaiting) => {
        const known = this.#shared.get(stream);
        if (known === undefined) return;
        const since = known.waitingForMs ?? 0;
        this.#shared.set(stream, { ...known, waitingForMs: isWaiting ? since : null });
      },
      sightings: async () =>
        [...this.#shared.values()].map(({ toldMs, ...one }) => {
          const sinceMs = this.nowMs - toldMs;
          const waitingForMs = one.waitingForMs === null ? null : one.waitingForMs + sinceMs;
          return { ...one, heardAgoMs: one.heardAgoMs + sinceMs, aliveForMs: one.aliveForMs - sinceMs, waitingForMs };
        }),
    };
  }
}

it('D-103 D-27 a name is not given away while its holder is heard, if only by another node', async () => {
  const scene = new TwoNodes();
  scene.nowMs += 60_000;
  for (let round = 0; round < 5; round += 1) {
    expect(await scene.send(0, 'original')).toBe('taken');
    await scene.tell();
    scene.nowMs += 5_000;
    expect(await scene.send(1, 'copy')).toBe(round < 4 ? 'held' : 'not-permitted');
  }
  expect(scene.holder).toBe('original');
});

it('D-103 D-27 a name is taken at a node that never heard its holder, once the holder is silent everywhere', async () => {
  const scene = new TwoNodes();
  scene.nowMs += 60_000;
  expect(await scene.send(0, 'original')).toBe('taken');
  await scene.tell();
  scene.nowMs += 10_000;
  expect(await scene.send(1, 'restored')).toBe('held');
  scene.nowMs += 5_000;
  expect(await scene.send(1, 'restored')).toBe('taken');
  expect(scene.holder).toBe('restored');
});

it('D-103 the database keeps the latest contact of any node, and the claims, by its own clock', async () => {
  const exchange = new PostgresPresence(await openTestPostgres());
  const claimer = { gatewayId: GATEWAY_ID, stream: 'one', principal: 'sam' };
  const heard = (agoMs: number) => ({ ...claimer, heardAgoMs: agoMs, aliveForMs: 15_000 - agoMs, waitingForMs: null });
  await exchange.tell([heard(4_000)]);
  await exchange.tell([heard(9_000)]);
  await exchange.tellWaiting(claimer, true);
  await exchange.tell([heard(0)]);
  const [found] = await exchange.sightings(GATEWAY_ID);
  expect(found).toMatchObject(claimer);
  expect(found?.heardAgoMs).toBeLessThan(1_000);
  expect(found?.aliveForMs).toBeGreaterThan(14_000);
  expect(found?.waitingForMs).toBeLessThan(1_000);
  await exchange.tellWaiting(claimer, false);
  expect(await exchange.sightings(GATEWAY_ID)).toMatchObject([{ waitingForMs: null }]);
  expect(await exchange.sightings('another')).toEqual([]);
});
