import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { BatchFact } from '../../../src/domain/sync/batch.ts';
import { receivedMachineId } from '../../../src/domain/sync/received-id.ts';
import { endPostgresServer, STORES, type TestedStore } from '../../central/central-under-test.ts';
import { BatchSender } from '../../fakes/batch-sender.ts';
import { RF1, SHIFT_DATE, START_AT } from './open-test-store.ts';

const GATEWAY_ID = 'plant1';
const MINUTE_MS = 60_000;
const NO_TIME = { runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };

/** Times are minutes from the start; uptime and counter go on without a boot. */
const at = (minute: number) => START_AT + minute * MINUTE_MS;
const totals = (parts: number) => ({ goodParts: parts, badParts: 0, cycles: parts, ...NO_TIME });
const reading = (minute: number, counter: number) => ({
  at: at(minute),
  mSecSinceBoot: minute * MINUTE_MS,
  cycle: counter,
  goodPart: counter,
  badPart: 0,
});

/** A shift's parts, with the counter at `minute`. */
function shift(shiftName: string, parts: number, minute: number, counter: number): BatchFact {
  const record = { machineId: RF1, shiftDate: SHIFT_DATE, shiftName, totals: totals(parts) };
  return { kind: 'shift', shift: { ...record, reading: reading(minute, counter) } };
}

function work(sessionId: string, parts: number, minute: number) {
  const job = { jobNumber: 'J', partId: null, userId: null, startedAt: at(0), endedAt: null };
  const counts = { goodParts: parts, badParts: 0, cycles: parts };
  return { sessionId, machineId: RF1, ...job, lastActiveAt: at(minute), ...counts };
}

/**
 * The gateway heard the machine at `since` and hears it again at `minute`; the totals then include the production in
 * between.
 */
function catchUp(since: number | null, minute: number, counter: number, shiftName: string, parts: number): BatchFact {
  const record = { machineId: RF1, shiftDate: SHIFT_DATE, shiftName, totals: totals(parts) };
  const heard = { at: at(minute), reading: reading(minute, counter) };
  return {
    kind: 'catchUp',
    catchUp: { since: since === null ? null : at(since), ...heard, shift: record, session: work('W-1', parts, minute) },
  };
}

class Central {
  readonly store: TestedStore;

  constructor(store: TestedStore) {
    this.store = store;
  }

  async receive(sender: BatchSender, facts: readonly BatchFact[]): Promise<void> {
    const batch = sender.queue(facts).batch();
    if (batch === null) throw new Error('nothing waits');
    const outcome = await this.store.readBatch({ bytes: batch.gzip, isGzip: true });
    if (outcome.kind === 'refused') throw new Error(outcome.reason);
    const terms = { refused: [], principal: 'sam', at: START_AT };
    expect(await this.store.applyBatch(outcome.ticket, terms)).toMatchObject({ answer: { refused: [] } });
    sender.acknowledged(batch.digest);
  }

  async names(kind: 'nameTaken' | 'nameGranted', { gatewayId, stream }: BatchSender): Promise<void> {
    await this.store.write([{ kind, gatewayId, stream, principal: 'sam', plantId: 'default', at: START_AT }]);
  }

  async refuses({ gatewayId, stream }: BatchSender): Promise<void> {
    await this.store.write([{ kind: 'nameRefused', gatewayId, stream, principal: 'sam', at: START_AT }]);
  }

  async parts(): Promise<Readonly<Record<string, number>>> {
    const shifts = await this.store.shifts(receivedMachineId(GATEWAY_ID, RF1), SHIFT_DATE);
    return Object.fromEntries(shifts.map(({ shiftName, totals: { goodParts } }) => [shiftName, goodParts]));
  }

  async sessionParts(): Promise<readonly number[]> {
    const sessions = await this.store.workSessions(receivedMachineId(GATEWAY_ID, RF1), 10);
    return sessions.map(({ goodParts }) => goodParts);
  }
}

function fresh(): BatchSender {
  return new BatchSender(GATEWAY_ID, randomUUID);
}

/** A copy of the backed-up data directory, which had to begin its own stream. */
function restored(backup: BatchSender): BatchSender {
  const copy = backup.copy();
  copy.restartStream();
  return copy;
}

/**
 * The gateway was backed up in Early at 100 parts, and counted on in Early and Late; the copy hears the machine in
 * Night, at counter 200.
 */
async function restoredInNight(central: Central) {
  const original = fresh();
  await central.names('nameTaken', original);
  await central.receive(original, [shift('Early', 100, 10, 100)]);
  const backup = original.copy();
  await central.receive(original, [shift('Early', 150, 20, 150), shift('Late', 40, 30, 190)]);
  const copy = restored(backup);
  await central.names('nameTaken', copy);
  await central.receive(copy, [shift('Early', 100, 10, 100), catchUp(10, 40, 200, 'Night', 100)]);
  await central.receive(copy, [shift('Night', 100, 40, 200), { kind: 'workSession', session: work('W-1', 100, 40) }]);
  return { original, copy };
}

const AS_MADE = { Early: 150, Late: 40, Night: 10 };

afterAll(endPostgresServer);

describe.each(STORES)('$name', ({ open }) => {
  it('D-27 DEV-06 DEV-07 production since the backup stays in the shifts in which it was heard, and is shown once', async () => {
    const central = new Central(await open());
    const { copy } = await restoredInNight(central);
    expect(await central.parts()).toEqual(AS_MADE);
    expect(await central.sessionParts()).toEqual([10]);
    await central.receive(copy, [shift('Night', 105, 45, 205), { kind: 'workSession', session: work('W-1', 105, 45) }]);
    expect(await central.parts()).toEqual({ ...AS_MADE, Night: 15 });
    expect(await central.sessionParts()).toEqual([15]);
  });

  it('D-27 production that a copy of the restored data directory reports as well is also shown once', async () => {
    const central = new Central(await open());
    const { copy } = await restoredInNight(central);
    const again = restored(copy);
    await central.names('nameTaken', again);
    await central.receive(again, [
      shift('Night', 100, 40, 200),
      { kind: 'workSession', session: work('W-1', 100, 40) },
    ]);
    expect(await central.parts()).toEqual(AS_MADE);
    expect(await central.sessionParts()).toEqual([10]);
  });

  it('D-27 a data directory restored from an even older backup has not counted it, and its report is taken', async () => {
    const central = new Central(await open());
    const { original } = await restoredInNight(central);
    const older = restored(original);
    await central.names('nameTaken', older);
    await central.receive(older, [shift('Night', 60, 39, 250)]);
    expect(await central.parts()).toEqual({ ...AS_MADE, Night: 60 });
  });

  it('D-27 a stream that has heard the machine since then does not count as restored, even if its gateway has forgotten it', async () => {
    const central = new Central(await open());
    const first = fresh();
    await central.receive(first, [shift('Early', 50, 10, 50)]);
    const goesOn = restored(first);
    await central.receive(goesOn, [shift('Early', 60, 20, 49_000)]);
    await central.receive(goesOn, [catchUp(null, 40, 49_010, 'Late', 0), shift('Late', 0, 40, 49_010)]);
    await central.receive(goesOn, [catchUp(5, 50, 49_020, 'Late', 10), shift('Late', 10, 50, 49_020)]);
    expect(await central.parts()).toEqual({ Early: 60, Late: 10 });
  });

  it('D-27 a gateway backed up before it ever heard the machine goes on from the known counts', async () => {
    const central = new Central(await open());
    const original = fresh();
    const backup = original.copy();
    await central.receive(original, [shift('Early', 50, 10, 1_050)]);
    const copy = restored(backup);
    await central.receive(copy, [catchUp(null, 40, 1_070, 'Late', 0), shift('Late', 5, 45, 1_075)]);
    expect(await central.parts()).toEqual({ Early: 50, Late: 25 });
  });

  it('D-27 the original that comes back and is refused keeps its counts, and the counts that continue them', async () => {
    const central = new Central(await open());
    const { original, copy } = await restoredInNight(central);
    await central.refuses(original);
    await central.receive(copy, [shift('Early', 100, 10, 100), shift('Night', 105, 45, 205)]);
    expect(await central.parts()).toEqual({ ...AS_MADE, Night: 15 });
  });

  it('D-27 the counts of the restored gateway go on after a person gives the name to the original and back', async () => {
    const central = new Central(await open());
    const { original, copy } = await restoredInNight(central);
    await central.names('nameGranted', original);
    await central.names('nameGranted', copy);
    await central.receive(copy, [shift('Night', 105, 45, 205)]);
    expect(await central.parts()).toEqual({ ...AS_MADE, Night: 15 });
  });

  it('D-27 D-10 after a grant the work sessions of the granted stream are shown', async () => {
    const central = new Central(await open());
    const original = fresh();
    await central.names('nameTaken', original);
    await central.receive(original, [{ kind: 'workSession', session: work('W-1', 50, 10) }]);
    const copy = restored(original);
    await central.names('nameTaken', copy);
    await central.receive(copy, [{ kind: 'workSession', session: work('W-1', 1_050, 20) }]);
    expect(await central.sessionParts()).toEqual([1_050]);
    await central.names('nameGranted', original);
    await central.receive(original, [{ kind: 'workSession', session: work('W-1', 70, 30) }]);
    expect(await central.sessionParts()).toEqual([70]);
  });

  it('D-27 no count continues from the report of an overruled copy', async () => {
    const central = new Central(await open());
    const original = fresh();
    await central.names('nameTaken', original);
    await central.receive(original, [shift('Early', 100, 10, 100)]);
    const copy = restored(original);
    await central.names('nameTaken', copy);
    await central.receive(copy, [shift('Early', 900, 30, 7_000)]);
    await central.names('nameGranted', original);
    await central.receive(original, [catchUp(10, 40, 120, 'Early', 120), shift('Early', 120, 40, 120)]);
    expect(await central.parts()).toEqual({ Early: 120 });
  });
});
