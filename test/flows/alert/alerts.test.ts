import { describe, expect, onTestFinished, test } from 'vitest';
import type { AlertRule } from '../../../src/domain/alert/alert-rule.ts';
import { DEFAULT_RULES } from '../../../src/domain/alert/alert-rule.ts';
import type { OutgoingMessage } from '../../../src/domain/alert/outgoing-message.ts';
import { CodedError } from '../../../src/domain/error.ts';
import { WHOLE_SIGHT } from '../../../src/domain/plant/sight.ts';
import type { AlertRecord, AlertTransport, SendOutcome } from '../../../src/flows/alert/alert-ports.ts';
import { AlertSender } from '../../../src/flows/alert/alert-sender.ts';
import { AlertSettings } from '../../../src/flows/alert/alert-settings.ts';
import { type AlertDuty, Alerts } from '../../../src/flows/alert/alerts.ts';
import { GatewayFactsFlow } from '../../../src/flows/alert/gateway-facts.ts';
import { MachineFactsFlow } from '../../../src/flows/alert/machine-facts.ts';
import type { Store } from '../../../src/flows/store-ports.ts';
import { newDataDir, openTestStore, quietLog } from '../../adapters/store/open-test-store.ts';
import { longestTurnMs, processorMs } from '../../rounds.ts';
import { FloorUnderTest, machine } from '../floor-under-test.ts';

const [HELD] = DEFAULT_RULES as readonly [AlertRule];
const SHIFT = { shiftDate: '2026-03-02', shiftName: 'Day', startMs: 0, endMs: Number.MAX_SAFE_INTEGER };
const NOBODY = { role: null, areas: [], shifts: [], quiet: null, language: 'en' } as const;

/** Alerts over a floor and a real store, whose messages are caught. */
async function alertsOver(
  floor: FloorUnderTest,
  store: Store,
  outcome: () => SendOutcome = () => ({ kind: 'sent' }),
  nodes: AlertDuty | null = null,
) {
  const sent: OutgoingMessage[] = [];
  const transport: AlertTransport = {
    send: async (_, message) => {
      const made = outcome();
      if (made.kind === 'sent') sent.push(message);
      return made;
    },
  };
  let ids = 0;
  const newId = () => `${floor.now.wallMs}-${++ids}`;
  const clock = { now: () => floor.now };
  const incidents = { report: (incident: (typeof floor.incidents)[number]) => void floor.incidents.push(incident) };
  const settings = new AlertSettings({ write: (records) => store.write(records), newId });
  const record = store.record.bind(store);
  const sender = new AlertSender({
    transport,
    sheet: async () => null,
    channel: settings.channel,
    record,
    incidents,
    clock,
    random: () => 1,
  });
  const numbers = async () => ({ connection: 'disabled', depth: 0, bytes: 0, oldestAgeSeconds: 0 });
  const gateway = new GatewayFactsFlow({
    plant: { machines: () => floor.registry.all().map((live) => live.machine), machine: () => undefined },
    store,
    counters: () => store.counters(),
    // The rules of these tests do not ask for it.
    sync: { numbers: numbers as never },
    backups: { list: async () => [] },
    certificates: () => [],
    diskFreePercent: async () => 50,
    rules: () => settings.rules(),
    channels: () => settings.channels(),
    sender,
    fleet: () => ({ gateways: [], version: '1.0.0' }),
    wallMs: () => floor.now.wallMs,
    log: quietLog,
  });
  const alerts = new Alerts({
    ...{ store, settings, sender, gateway, newId, clock, incidents },
    machines: new MachineFactsFlow(floor.registry),
    calendar: { shiftAt: () => SHIFT, timeText: (wallMs) => new Date(wallMs).toISOString() },
    plan: (shift) => ({ ...shift, isPlanned: true, breaks: [] }),
    log: quietLog,
    nodes,
  });
  onTestFinished(() => alerts.stop());
  await alerts.start();
  return { alerts, settings, sent };
}

/** Looks every five seconds of the floor's time. */
async function watch(floor: FloorUnderTest, alerts: Alerts, forMinutes: number): Promise<void> {
  for (let second = 0; second < forMinutes * 60; second += 5) {
    floor.pass(5_000);
    for (const { machine: one } of floor.registry.all())
      floor.status(one.machineId, { mSecSinceBoot: floor.now.monotonicMs });
    await alerts.look();
  }
  // Messages are sent in turns of their own.
  await new Promise((resolve) => setTimeout(resolve, 20));
}

async function tellDana(settings: AlertSettings): Promise<void> {
  const hook = { kind: 'topic', name: 'Lamp', topic: 'plantgate/alerts' } as const;
  const { channelId } = await settings.putChannel(null, hook);
  const dana = await settings.putRecipient(null, { ...NOBODY, name: 'dana', ways: [{ channelId, address: null }] });
  await settings.putRule('held', {
    ...HELD,
    isOn: true,
    limit: 2,
    steps: [{ afterMinutes: 0, to: [dana.recipientId] }],
  });
}

/** The duty of one node, which a test gives and takes. */
class DutyUnderTest implements AlertDuty {
  readonly #listeners: ((isOurs: boolean) => void)[] = [];
  readonly duty = {
    isOurs: false,
    onChange: (listener: (isOurs: boolean) => void) => void this.#listeners.push(listener),
  };
  isDatabaseAway = false;

  async decide<T>(operation: () => Promise<T>): Promise<T> {
    if (this.isDatabaseAway) throw new CodedError('store-unavailable', 'away');
    return operation();
  }

  async set(isOurs: boolean): Promise<void> {
    this.duty.isOurs = isOurs;
    for (const listener of this.#listeners) listener(isOurs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('D-88 a node without the duty tells nobody and shows what the other one writes; with it, it goes on from there', async () => {
  const { store } = await openTestStore();
  const [here, there] = [new FloorUnderTest([machine('RF-1')]), new FloorUnderTest([machine('RF-1')])];
  const nodes = new DutyUnderTest();
  const b = await alertsOver(here, store, () => ({ kind: 'sent' }), nodes);
  const written: AlertRecord[] = [];
  const shared = {
    ...{ alertMemory: store.alertMemory.bind(store), pastAlerts: store.pastAlerts.bind(store) },
    ...{
      alertCounts: store.alertCounts.bind(store),
      counters: store.counters.bind(store),
      record: store.record.bind(store),
    },
    write: async (records: readonly AlertRecord[]) => {
      await store.write(records);
      written.push(...records);
    },
  } as unknown as Store;
  const a = await alertsOver(there, shared);
  await tellDana(a.settings);
  await watch(there, a.alerts, 3);
  b.alerts.follow(written.splice(0));
  await watch(here, b.alerts, 3);
  expect(b.alerts.open(WHOLE_SIGHT)).toMatchObject([{ subject: 'RF-1', told: [{ name: 'dana' }] }]);
  expect(b.settings.rules()[0]).toMatchObject({ isOn: true, limit: 2 });
  expect(b.sent).toEqual([]);
  // A person takes it at the node without the duty; the other node learns of it.
  const [open] = b.alerts.open(WHOLE_SIGHT);
  await b.alerts.take(open?.alertId ?? '', { name: 'erik', note: null }, WHOLE_SIGHT);
  a.alerts.stop();
  nodes.isDatabaseAway = true;
  await nodes.set(true);
  expect(b.alerts.open(WHOLE_SIGHT)).toMatchObject([{ takenBy: 'erik' }]);
  here.registry.configure([], here.now);
  await watch(here, b.alerts, 3);
  expect(b.alerts.open(WHOLE_SIGHT)).toEqual([]);
  expect(b.sent.map(({ title }) => title)).toEqual([
    'erik takes it: RF-1 stands for 3 min',
    expect.stringMatching(/^Over/),
  ]);
});

describe('D-82 alerts over the store', () => {
  test('a machine that waits for its part opens one, its followers get it, and it stands on disk', async () => {
    const { store } = await openTestStore();
    const floor = new FloorUnderTest([machine('RF-1')]);
    const { alerts, settings, sent } = await alertsOver(floor, store);
    await tellDana(settings);
    const announced: unknown[] = [];
    alerts.onChange(({ record }) => announced.push(record));
    await watch(floor, alerts, 3);
    expect(alerts.open(WHOLE_SIGHT)).toMatchObject([
      { subject: 'RF-1', told: [{ name: 'dana', by: ['Lamp'], telling: 'opened' }] },
    ]);
    expect(sent).toMatchObject([{ title: 'RF-1 stands for 2 min' }]);
    expect(announced.length).toBeGreaterThanOrEqual(2);
    await store.synced();
    expect(await store.alertMemory()).toMatchObject({ alerts: [{}], messages: [], settings: [{}, {}, {}] });
  });

  test('a gateway that is killed goes on: nothing is told twice, the end is told', async () => {
    const dataDir = newDataDir();
    const first = await openTestStore({ dataDir });
    const floor = new FloorUnderTest([machine('RF-1')]);
    const before = await alertsOver(floor, first.store);
    await tellDana(before.settings);
    await watch(floor, before.alerts, 3);
    before.alerts.stop();
    await first.store.close();

    const { store } = await openTestStore({ dataDir });
    const after = await alertsOver(floor, store);
    expect(after.settings.rules()[0]).toMatchObject({ isOn: true, limit: 2 });
    await watch(floor, after.alerts, 2);
    expect(after.sent).toEqual([]);
    floor.registry.configure([], floor.now);
    await watch(floor, after.alerts, 3);
    expect(after.sent.map(({ title }) => title)).toEqual([expect.stringMatching(/^Over: RF-1 stands/)]);
    expect(after.alerts.open(WHOLE_SIGHT)).toEqual([]);
    expect(await after.alerts.past(null, 10, WHOLE_SIGHT)).toMatchObject([
      { subject: 'RF-1', told: [{}, { telling: 'over' }] },
    ]);
  });

  test('a message that nobody took before the restart is sent after it', async () => {
    const dataDir = newDataDir();
    const first = await openTestStore({ dataDir });
    const floor = new FloorUnderTest([machine('RF-1')]);
    const before = await alertsOver(floor, first.store, () => ({ kind: 'later', detail: 'away', afterMs: null }));
    await tellDana(before.settings);
    await watch(floor, before.alerts, 3);
    before.alerts.stop();
    await first.store.close();
    const { store } = await openTestStore({ dataDir });
    const after = await alertsOver(floor, store);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(after.sent).toMatchObject([{ title: 'RF-1 stands for 2 min' }]);
    await store.synced();
    expect((await store.alertMemory()).messages).toEqual([]);
  });

  test('a disk that takes nothing is no reason to tell nobody', async () => {
    const { store } = await openTestStore();
    const floor = new FloorUnderTest([machine('RF-1')]);
    const { alerts, settings, sent } = await alertsOver(floor, store);
    await tellDana(settings);
    const write = store.write.bind(store);
    store.write = () => Promise.reject(new Error('the disk is full'));
    await watch(floor, alerts, 3);
    expect(sent).toMatchObject([{ title: 'RF-1 stands for 2 min' }]);
    store.write = write;
    await watch(floor, alerts, 0.2);
    expect((await store.alertMemory()).alerts).toHaveLength(1);
  });

  test('1,000 machines that stop at once hold nothing up', async () => {
    const { store } = await openTestStore();
    const floor = new FloorUnderTest(Array.from({ length: 1_000 }, (_, place) => machine(`RF-${place}`)));
    const { alerts, settings, sent } = await alertsOver(floor, store);
    await tellDana(settings);
    await settings.putRule('held', { ...settings.rule('held'), limit: 0 });
    for (const { machine: one } of floor.registry.all()) floor.status(one.machineId);
    const announced: object[] = [];
    alerts.onChange(({ record }) => announced.push(record));
    const longestMs = await longestTurnMs(async () => {
      for (let look = 0; look < 4; look += 1) {
        floor.pass(5_000);
        await alerts.look();
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    console.info(`1,000 alerts at once: the longest turn took ${longestMs.toFixed(1)} ms`);
    expect(alerts.open(WHOLE_SIGHT)).toHaveLength(1_000);
    expect(sent).toMatchObject([{ title: '1000 alerts' }]);
    expect(longestMs).toBeLessThan(50);
  });

  test('a look at 1,000 machines takes little time, in slices', async () => {
    const { store } = await openTestStore();
    const floor = new FloorUnderTest(Array.from({ length: 1_000 }, (_, place) => machine(`RF-${place}`)));
    const { alerts, settings } = await alertsOver(floor, store);
    for (const { ruleId, ...rule } of DEFAULT_RULES) await settings.putRule(ruleId, { ...rule, isOn: true });
    for (const { machine: one } of floor.registry.all()) floor.status(one.machineId);
    await alerts.look();
    const times: number[] = [];
    for (let look = 0; look < 20; look += 1) {
      floor.pass(5_000);
      const beginMs = processorMs();
      await alerts.look();
      times.push(processorMs() - beginMs);
    }
    const median = times.sort((a, b) => a - b)[10] ?? 0;
    console.info(`a look at 1,000 machines: ${median.toFixed(1)} ms in the median`);
    expect(median).toBeLessThan(50);
  });
});
