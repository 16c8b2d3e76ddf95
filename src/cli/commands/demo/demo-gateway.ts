import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStore, type StoreOptions } from '../../../adapters/store/client/sqlite-store.ts';
import { newUlid } from '../../../adapters/system/ids.ts';
import { createLog } from '../../../adapters/system/log.ts';
import { type ConfigRequest, loadConfig } from '../../../config/load-config.ts';
import { groupBy } from '../../../domain/group-by.ts';
import type { ShiftTotals } from '../../../domain/machine/counters/counters.ts';
import { type MachineId, machineId } from '../../../domain/machine/machine-names.ts';
import { createMachineState, DEFAULT_TIMING } from '../../../domain/machine/machine-state.ts';
import type { Activity, Downtime, WorkSession } from '../../../domain/machine/records.ts';
import { createShiftCalendar } from '../../../domain/shift/shift-calendar.ts';
import { datesBefore, shiftDates } from '../../../domain/shift/shift-dates.ts';
import { createWorkPlan, type PlannedShift, type WorkPlanSettings } from '../../../domain/shift/work-plan.ts';
import { DAY_MS, MINUTE_MS } from '../../../domain/time.ts';
import { snapshot } from '../../../flows/device/live-machine.ts';
import type { LeveledLog } from '../../../flows/ports.ts';
import type { Store, StoreRecord } from '../../../flows/store-ports.ts';
import { createGateway } from '../../../gateway/gateway.ts';
import { alertHistory, SAMPLE_RULES } from '../../../simulator/history/alert-history.ts';
import { historicReadings } from '../../../simulator/history/historic-readings.ts';
import { type ShiftHistory, shiftHistory } from '../../../simulator/history/shift-history.ts';
import type { SimulatedMachine } from '../../../simulator/machine/machine-design.ts';
import { machineName } from '../../../simulator/machine/rolling-line.ts';
import { sampleOrders } from '../../../simulator/plant/sample-orders.ts';
import { SAMPLE_SHIFTS } from '../../../simulator/plant/sample-shifts.ts';
import { seededRandom } from '../../../simulator/random.ts';
import type { CommandIo } from '../../command-io.ts';
import type { StartGateway } from './demo.ts';

/** Starts the demo's gateway with built-in defaults and the demo's own settings; no configuration file is read. */
export function demoGateway(
  request: Omit<ConfigRequest, 'file'>,
  storeThreadEntry: URL | string,
  io: CommandIo,
): StartGateway {
  return async ({ gatewayId, dataDir, http, mqtt, legacyAgent }, plantText, withHistory) => {
    const plant = path.join(dataDir, 'plant.yaml');
    const file = path.join(dataDir, 'plantgate.yaml');
    await writeFile(plant, plantText);
    await writeFile(
      file,
      JSON.stringify({
        ...{ gatewayId, dataDir, plant, http, mqtt, legacyAgent },
        shifts: SAMPLE_SHIFTS,
        log: { level: 'warn' },
      }),
    );
    const own = { ...request, environment: {}, file };
    const { config } = loadConfig(own);
    const log = createLog(config.log.level, io.environment, process.stdout.isTTY === true);
    const { shifts } = config;
    await writeDemoHistory({ dataDir, storeThreadEntry, machines: withHistory, shifts, nowMs: Date.now(), log });
    const gateway = await createGateway(config, { log, storeThreadEntry, request: own });
    const { httpPort, mqttPort } = gateway.addresses;
    return {
      httpUrl: `http://127.0.0.1:${httpPort}`,
      mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
      dataDir,
      close: () => gateway.close(),
    };
  };
}

const HISTORY_DAYS = 35;
/** Production is on record by the quarter of an hour for so long: each quarter takes a commit of its own. */
const DETAILED_DAYS = 2;
const QUARTER_MS = 15 * MINUTE_MS;
/** Longer than the history. */
const KEPT_DAYS = 400;

export interface DemoHistory {
  readonly dataDir: string;
  readonly storeThreadEntry: URL | string;
  readonly machines: readonly SimulatedMachine[];
  readonly shifts: WorkPlanSettings;
  readonly nowMs: number;
  readonly log: LeveledLog;
  /** Given if a central server is to get the past, too. */
  readonly forwarding?: StoreOptions['forwarding'];
}

/**
 * Writes 35 days of a plant's life into a new data directory, through the store itself, so that every place of the page
 * has something to show. The present shift is on record up to now; the gateway goes on from there.
 */
export async function writeDemoHistory(history: DemoHistory): Promise<void> {
  const { store } = await openStore({
    dataDir: history.dataDir,
    threadEntry: history.storeThreadEntry,
    retention: {
      variableDays: KEPT_DAYS,
      statusDays: KEPT_DAYS,
      productionDays: KEPT_DAYS,
      auditDays: KEPT_DAYS,
    },
    forwarding: history.forwarding ?? null,
    monotonicMs: () => performance.now(),
    wallMs: () => history.nowMs,
    log: history.log,
  });
  try {
    const shifts = shiftsUpToNow(history);
    const lately: ShiftReport[] = [];
    const sessions: WorkSession[] = [];
    const stops: Downtime[] = [];
    for (const [place, machine] of history.machines.entries()) {
      const written = await writeMachine(store, history, shifts, machine, place);
      lately.push(...written.lately);
      sessions.push(...written.sessions);
      stops.push(...written.stops);
    }
    await store.write(orderRecords(sessions, history.nowMs));
    await store.write(alertRecords(stops, history));
    await writeByQuarter(store, lately);
  } finally {
    await store.close();
  }
}

function shiftsUpToNow({ shifts: settings, nowMs }: DemoHistory): readonly PlannedShift[] {
  const made = createShiftCalendar(settings);
  if (!made.ok) throw new Error('the calendar of the demo has faults');
  const { calendar } = made;
  const today = calendar.shiftAt(nowMs).shiftDate;
  const { from } = datesBefore({ from: today, to: today }, HISTORY_DAYS);
  const shifts = shiftDates(from, today, HISTORY_DAYS + 1).flatMap((date) => calendar.shiftsOfDate(date));
  return shifts.map(createWorkPlan(settings)).filter(({ startMs }) => startMs < nowMs);
}

interface WrittenMachine {
  readonly lately: readonly ShiftReport[];
  readonly sessions: readonly WorkSession[];
  readonly stops: readonly Downtime[];
}

async function writeMachine(
  store: Store,
  history: DemoHistory,
  shifts: readonly PlannedShift[],
  machine: SimulatedMachine,
  place: number,
): Promise<WrittenMachine> {
  const id = machineId(machine.machineId);
  if (id === null) throw new Error(`${machine.machineId} is no machine id`);
  const random = seededRandom(machine.seed);
  const lately: ShiftReport[] = [];
  const sessions: WorkSession[] = [];
  const stops: Downtime[] = [];
  for (const shift of shifts.filter(({ isPlanned }) => isPlanned)) {
    const made = shiftHistory({
      machineId: id,
      machine,
      shift,
      untilMs: history.nowMs,
      trouble: troubleOf(shift, place),
      scrapShare: scrapShareOf(shift, history.nowMs),
      newId: newUlid,
      random,
    });
    sessions.push(...made.sessions);
    stops.push(...made.downtimes);
    const reports = reportsOf(made, shift, id);
    const isLately = history.nowMs - shift.startMs < DETAILED_DAYS * DAY_MS;
    if (isLately) lately.push(...reports);
    store.record([...recordsOf(made, shift, id, history.nowMs), ...(isLately ? [] : reports.slice(-1))]);
    const { shiftDate } = shift;
    const points = historicReadings(made.spans, machine, random);
    const readings = points.map((point) => ({ machineId: id, shiftDate, ...point }));
    store.record([{ kind: 'variables', points: readings, receipt: null }]);
  }
  await store.synced();
  return { lately, sessions, stops };
}

/** Orders of the jobs on record, and others. */
function orderRecords(sessions: readonly WorkSession[], nowMs: number): readonly StoreRecord[] {
  const jobs = [...groupBy(sessions, ({ jobNumber }) => jobNumber ?? '')].map(([jobNumber, ofJob]) => ({
    jobNumber,
    partId: ofJob.at(-1)?.partId ?? null,
    goodParts: ofJob.reduce((sum, { goodParts }) => sum + goodParts, 0),
    lastActiveAt: Math.max(...ofJob.map(({ lastActiveAt }) => lastActiveAt)),
  }));
  return sampleOrders(jobs, nowMs).map((order) => {
    const orderKey = `documentID ${order.documentID}`;
    return { kind: 'orderPut', order: { orderKey, json: JSON.stringify(order), at: nowMs, principal: 'office' } };
  });
}

/** Some rules of alerts are on, and have opened alerts that are over. */
function alertRecords(stops: readonly Downtime[], { machines, nowMs }: DemoHistory): readonly StoreRecord[] {
  const names = new Map(machines.map(({ machineId: id }, place) => [id, machineName(place).name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const inOrder = [...stops].sort((one, other) => one.startedAt - other.startedAt);
  return [
    ...SAMPLE_RULES.map((rule) => {
      const { ruleId: id } = rule;
      return { kind: 'alertSetting', of: 'rule', id, json: JSON.stringify(rule) } as const;
    }),
    ...alertHistory(inOrder, { nowMs, nameOf, newId: newUlid }).map((alert) => ({ kind: 'alert', alert }) as const),
  ];
}

type ShiftReport = Extract<StoreRecord, { kind: 'shift' }> & { readonly at: number };

/** Totals that wait for the disk together are one record: those of each quarter of an hour wait alone. */
async function writeByQuarter(store: Store, reports: readonly ShiftReport[]): Promise<void> {
  const quarters = groupBy(reports, ({ at }) => String(Math.floor(at / QUARTER_MS)));
  for (const [, ofQuarter] of [...quarters].sort(([one], [other]) => Number(one) - Number(other))) {
    await store.write(ofQuarter);
  }
}

/** Nights go worse, and one night a week much worse. */
function troubleOf({ shiftName, shiftDate }: PlannedShift, place: number): number {
  const isWorstNight = shiftName === 'Night' && (Number(shiftDate.slice(8)) + place) % 7 === 0;
  if (isWorstNight) return 2.4;
  return shiftName === 'Night' ? 1.35 : 1;
}

/** Scrap has risen for three weeks. */
function scrapShareOf({ startMs, shiftName }: PlannedShift, nowMs: number): number {
  const daysAgo = (nowMs - startMs) / DAY_MS;
  return 0.018 + Math.max(0, 21 - daysAgo) * 0.0005 + (shiftName === 'Night' ? 0.006 : 0);
}

function recordsOf(
  { spans, downtimes, sessions, made }: ShiftHistory,
  shift: PlannedShift,
  id: MachineId,
  nowMs: number,
): readonly StoreRecord[] {
  const last = made.at(-1);
  const isOver = shift.endMs <= nowMs;
  const present = last === undefined || isOver ? null : { period: shift, totals: totalsAt(spans, nowMs, last) };
  return [
    ...spans.map((span) => ({ kind: 'span', span }) as const),
    ...downtimes.map((downtime) => ({ kind: 'downtime', downtime }) as const),
    ...sessions.map((session) => ({ kind: 'workSession', session }) as const),
    ...(present === null ? [] : [stateIn(present, id, sessions.at(-1)?.partId ?? null, nowMs)]),
  ];
}

/** The totals at the end of each quarter of an hour in which something was made. */
function reportsOf({ spans, made }: ShiftHistory, shift: PlannedShift, id: MachineId): readonly ShiftReport[] {
  const { shiftDate, shiftName } = shift;
  const lastOfQuarter = new Map(made.map((report) => [Math.floor(report.at / QUARTER_MS), report]));
  return [...lastOfQuarter.values()].map((report) => ({
    kind: 'shift',
    at: report.at,
    shift: { machineId: id, shiftDate, shiftName, totals: totalsAt(spans, report.at, report) },
  }));
}

function totalsAt(
  spans: ShiftHistory['spans'],
  at: number,
  { goodParts, badParts }: { readonly goodParts: number; readonly badParts: number },
): ShiftTotals {
  const spent = (activity: Activity) =>
    spans
      .filter((span) => span.activity === activity && span.startedAt < at)
      .reduce((sum, { startedAt, endedAt }) => sum + Math.min(endedAt ?? at, at) - startedAt, 0);
  return {
    goodParts,
    badParts,
    cycles: goodParts + badParts,
    runningMs: spent('running'),
    stoppedMs: spent('stopped'),
    downMs: spent('down'),
    faultMs: 0,
    overrideMs: 0,
    offlineMs: 0,
  };
}

/** The state with which the gateway starts: it counts on in the present shift. */
function stateIn(
  present: { readonly period: PlannedShift; readonly totals: ShiftTotals },
  id: MachineId,
  partId: string | null,
  nowMs: number,
): StoreRecord {
  const context = {
    timing: DEFAULT_TIMING,
    shiftAt: () => present.period,
    newId: newUlid,
    setupReasons: new Set<string>(),
  };
  const fresh = createMachineState(id, { monotonicMs: 0, wallMs: nowMs }, context);
  const selection =
    partId === null ? null : ({ partId, partName: null, selectedAt: nowMs, selectedBy: 'device' } as const);
  const state = { ...fresh, shift: present, selection, selectionAt: nowMs };
  return {
    kind: 'machineState',
    machineId: id,
    json: snapshot({ state, connection: 'unknown', since: { decision: null } }),
  };
}
