import { afterEach, beforeEach, expect, vi } from 'vitest';
import { HttpCentralServer } from '../../src/adapters/central/http-central-server.ts';
import { settling } from '../../src/adapters/store/thread/forwarding/settling.ts';
import { machineId } from '../../src/domain/machine/machine-names.ts';
import { createdProfile } from '../../src/domain/profile/library.ts';
import type { ConnectionEvent } from '../../src/domain/sync/connection-states.ts';
import type { Operation } from '../../src/domain/sync/operation.ts';
import { EntityForwarder, type RefusedRow } from '../../src/flows/forward/forward-entities.ts';
import { OperationSender } from '../../src/flows/forward/send-operation.ts';
import { PROFILE_CONTENT } from '../domain/profile/profile-content.ts';
import { CentralServer } from '../fakes/central-server.ts';
import { QueueInMemory } from './queue-in-memory.ts';

/**
 * Queues for a central server with the interface alone, made for each test by `useLanes`; `begin` starts them like a
 * gateway.
 */

export let central: CentralServer;
export let server: HttpCentralServer;
export let queue: QueueInMemory;
export let events: ConnectionEvent[];
export let refused: RefusedRow[];
export let incidents: string[];
export let commands: string[];
export let entityQueues: EntityForwarder;
let skippedMs = 0;

/** Moves the queues' clock on at once. */
export function skip(durationMs: number): void {
  skippedMs += durationMs;
  entityQueues.wake();
}

export function inProcess(taskId: string, userName: string): Operation {
  return { type: 'taskOperation', taskId, operation: { type: 'inProcess', userName } };
}

export function inTransit(taskId: string, coilId: string, userName: string): Operation {
  return { type: 'taskOperation', taskId, operation: { type: 'inTransit', coilId, overrideReason: null, userName } };
}

export function order(documentID: string, isNew = true): Operation {
  const json = JSON.stringify({ documentID, orderCode: `code of ${documentID}`, action: 'Put', products: [] });
  return { type: 'orderPut', orderKey: `documentID ${documentID}`, json, isNew };
}

export function profile(profileId: string, profileName = 'Z 200', revision = 1): Operation {
  const edit = { principal: 'office', date: new Date().toISOString() };
  return {
    type: 'profilePut',
    profile: { ...createdProfile(profileId, { ...PROFILE_CONTENT, profileName }, edit), revision },
  };
}

export function status(id: string, goodPart: number) {
  const named = machineId(id);
  if (named === null) throw new Error(`${id} is no machine id`);
  return { machineId: named, at: goodPart, why: 'change', json: JSON.stringify({ machineId: id, goodPart }) } as const;
}

/** Longer than a busy machine takes, so that no answer is wrongly taken as lost. */
const PATIENT_MS = 800;
/** The time limit for tests in which answers are lost on purpose. */
export const IMPATIENT_MS = 120;

export function ask(timeoutMs: number): void {
  server = new HttpCentralServer({ url: central.url, apiKey: central.apiKey, timeoutMs });
}

/** Gives each test queues of its own. A file of tests calls it once. */
export function useLanes(): void {
  beforeEach(openLanes);
  afterEach(closeLanes);
}

async function openLanes(): Promise<void> {
  central = new CentralServer();
  for (const taskId of ['T-1', 'T-2', 'T-3']) central.plant.tasks.set(taskId, { taskId, taskState: 'Ready' });
  central.plant.coils.set('C-1', { coilId: 'C-1', location: 'WH-A1' });
  await central.start();
  ask(PATIENT_MS);
  queue = new QueueInMemory();
  events = [];
  refused = [];
  incidents = [];
  commands = [];
  begin();
}

async function closeLanes(): Promise<void> {
  entityQueues.pause();
  await entityQueues.settled();
  await server.close();
  await central.stop();
}

/** Starts the queues like a gateway: memory is empty, and the disk is kept. */
export function begin(): void {
  entityQueues = new EntityForwarder({
    store: queue,
    server,
    operations: new OperationSender({ store: queue, settling: settling(queue), server }),
    clock: { now: () => ({ monotonicMs: performance.now() + skippedMs, wallMs: Date.now() }) },
    after: (delayMs, act) => {
      // Retries come soon, so that tests need not wait for them.
      const timer = setTimeout(act, Math.min(delayMs, 20));
      return () => clearTimeout(timer);
    },
    incidents: { report: ({ detail }) => incidents.push(detail) },
    onConnection: (event) => {
      events.push(event);
      if (event.type === 'failed') entityQueues.pause();
    },
    onSent: () => undefined,
    onRefused: (row) => refused.push(row),
    onCommand: (_, command) => commands.push(command),
  });
}

export async function drained(): Promise<void> {
  await vi.waitFor(
    () => {
      entityQueues.start();
      entityQueues.wake(true);
      expect(queue.rows).toEqual([]);
    },
    { timeout: 20_000, interval: 10 },
  );
  await entityQueues.settled();
}

/** The requests that were carried out there, as `method path`. */
export function done(): readonly string[] {
  return central.writes.filter(({ isDone }) => isDone).map(({ method, path }) => `${method} ${path}`);
}
