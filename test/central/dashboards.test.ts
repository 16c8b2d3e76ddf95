import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { receivedMachineId } from '../../src/domain/sync/received-id.ts';
import { SHIFT_DATE, START_AT } from '../adapters/store/open-test-store.ts';
import { endPostgresServer, postgresServer } from './central-under-test.ts';
import {
  HOUR_MS,
  openReportedCentral,
  type ReportedCentral,
  secondsOf,
  shiftFact,
  statusFact,
  stopFact,
} from './reporting-gateways.ts';

afterAll(endPostgresServer);

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

interface Source {
  readonly type: string;
  readonly uid: string;
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string;
  readonly datasource?: Source;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly datasource: Source;
  readonly targets: readonly { readonly rawSql: string; readonly format: string; readonly datasource: Source }[];
  readonly fieldConfig: { readonly overrides: readonly { readonly matcher: { readonly options: string } }[] };
}

const MONITORING = path.resolve(import.meta.dirname, '../../docs/monitoring');
const PLUGIN = 'grafana-postgresql-datasource';
const CHOSEN_SOURCE = { type: PLUGIN, uid: expect.stringMatching(/^\$\{datasource\}$/) };
const FROM = new Date(START_AT - 12 * HOUR_MS).toISOString();
const TO = new Date(START_AT + 12 * HOUR_MS).toISOString();
const GRID_COLUMNS = 24;

const dashboards = readdirSync(MONITORING)
  .filter((file) => file.endsWith('.json'))
  .map((file): Dashboard => JSON.parse(readFileSync(path.join(MONITORING, file), 'utf8')))
  .filter(({ templating }) => templating.list.some(({ query }) => query === PLUGIN));

/** A query as Grafana sends it, with the texts that it puts in the place of macros and variables. */
function filledIn(sql: string, chosen: Readonly<Record<string, readonly string[]>>): string {
  const filled = sql
    .replaceAll('$__timeFrom()', `'${FROM}'`)
    .replaceAll('$__timeTo()', `'${TO}'`)
    .replaceAll('$__interval_ms', '60000')
    .replaceAll(/\$\{(\w+):sqlstring\}/g, (_, name: string) =>
      (chosen[name] ?? expect.fail(`no variable ${name}`)).map((value) => `'${value.replaceAll("'", "''")}'`).join(','),
    );
  expect(filled).not.toContain('$');
  return filled;
}

let central: ReportedCentral;
beforeEach(async () => {
  central = await openReportedCentral(await (await postgresServer()).createDatabase(`dashboards-${randomUUID()}`));
  const status = statusFact('{"machineId":"RF-01","running":true}');
  const first = { goodParts: 90, badParts: 10, runningMs: 3_000, stoppedMs: 1_000, downMs: 500, faultMs: 500 };
  await central.send(
    'plant1',
    [
      status,
      shiftFact(first),
      shiftFact({ goodParts: 50, runningMs: 5_000 }, SHIFT_DATE, 'Night'),
      shiftFact({ goodParts: 1_000, runningMs: 1_000 }, '2026-02-01'),
      stopFact(START_AT, START_AT + 60_000, 'jam'),
      stopFact(START_AT + HOUR_MS, START_AT + HOUR_MS + 30_000, 'jam'),
      stopFact(START_AT + 2 * HOUR_MS, START_AT + 2 * HOUR_MS + 10_000, null),
      // Before the period, but for its last 5 s.
      stopFact(Date.parse(FROM) - 10_000, Date.parse(FROM) + 5_000, 'coil'),
    ],
    [secondsOf('lineSpeed', START_AT, 120)],
  );
  await central.send("plant'2", [status, shiftFact({ goodParts: 100, badParts: 100, downMs: 10_000 })]);
});

type Row = Readonly<Record<string, unknown>>;

/** The choices that Grafana would offer for the variables, and the rows of each panel with all of them chosen. */
async function shown({ templating, panels }: Dashboard, own: Readonly<Record<string, readonly string[]>> = {}) {
  const chosen: Record<string, readonly string[]> = {};
  for (const { name, type, query } of templating.list) {
    if (type !== 'query') continue;
    const offered = await central.read<Row>(filledIn(query, chosen));
    chosen[name] = own[name] ?? offered.map((row) => String(Object.values(row)[0]));
  }
  const rows = new Map<string, readonly Row[]>();
  for (const { title, targets } of panels) {
    for (const { rawSql } of targets) rows.set(title, await central.read<Row>(filledIn(rawSql, chosen)));
  }
  return rows;
}

/** No downtime is open. */
const EMPTY = 'Open downtimes';

function checkRows({ title, targets, fieldConfig }: Panel, [first]: readonly Row[]): void {
  if (title === EMPTY) return;
  if (first === undefined) expect.fail(`${title} shows nothing`);
  if (targets.some(({ format }) => format === 'time_series')) expect(first.time, title).toBeInstanceOf(Date);
  for (const { matcher } of fieldConfig.overrides) expect(Object.keys(first), title).toContain(matcher.options);
}

function dashboard(uid: string): Dashboard {
  return dashboards.find((one) => one.uid === uid) ?? expect.fail(`no dashboard ${uid}`);
}

it('D-101 there is a dashboard for production, gateways and one machine', () => {
  expect(dashboards.map(({ uid }) => uid)).toEqual(['plantgate-fleet', 'plantgate-machine', 'plantgate-production']);
});

describe.each(dashboards)('$title', (own) => {
  it('D-101 takes its data source from the variable, and its panels lie side by side', () => {
    expect(own.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
    for (const variable of own.templating.list.slice(1)) expect(variable.datasource).toEqual(CHOSEN_SOURCE);
    const taken = new Set<string>();
    for (const { datasource, targets, gridPos } of own.panels) {
      for (const source of [datasource, ...targets.map((target) => target.datasource)])
        expect(source).toEqual(CHOSEN_SOURCE);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(GRID_COLUMNS);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
    expect(new Set(own.panels.map(({ id }) => id)).size).toBe(own.panels.length);
  });

  it('D-101 every query works for a reader, and time series have a time', async () => {
    const rows = await shown(own, own.uid === 'plantgate-machine' ? { gateway: ['plant1'], machine: ['RF-01'] } : {});
    for (const panel of own.panels) checkRows(panel, rows.get(panel.title) ?? []);
  });
});

it('D-101 the figures of production are those of the API', async () => {
  const rows = await shown(dashboard('plantgate-production'));
  const one = (title: string) => Object.values(rows.get(title)?.[0] ?? {})[0];
  const both = await Promise.all(
    ['plant1', "plant'2"].map((gatewayId) => central.store.shifts(receivedMachineId(gatewayId, 'RF-01'), SHIFT_DATE)),
  );
  const totals = both.flat().map((shift) => shift.totals);
  const sum = (of: (one: (typeof totals)[number]) => number) => totals.reduce((all, own) => all + of(own), 0);
  const heardMs = sum(({ runningMs, stoppedMs, downMs, faultMs }) => runningMs + stoppedMs + downMs + faultMs);
  expect(one('Good parts')).toBe(sum(({ goodParts }) => goodParts));
  expect(one('Bad parts')).toBe(sum(({ badParts }) => badParts));
  expect(one('Availability')).toBeCloseTo(sum(({ runningMs }) => runningMs) / heardMs, 9);
  expect(one('Quality')).toBeCloseTo(240 / 350, 9);
  expect(one('Availability × quality')).toBeCloseTo(((8_000 / 20_000) * 240) / 350, 9);
  expect(Number(one('Lost to downtimes'))).toBe(105);
  expect(rows.get('Parts by day')).toEqual([{ time: new Date(`${SHIFT_DATE}T00:00:00Z`), good: 240, bad: 110 }]);
  expect(rows.get('Pareto of downtimes')?.map(({ reason, lost }) => [reason, Number(lost)])).toEqual([
    ['jam', 90],
    ['no category', 10],
    ['coil', 5],
  ]);
  expect(rows.get('Reasons')?.map(({ stops, share }) => [Number(stops), Number(share).toFixed(3)])).toEqual([
    [2, '0.857'],
    [1, '0.952'],
    [1, '1.000'],
  ]);
  expect(rows.get('Machines')?.map(({ gateway, availability }) => [gateway, availability])).toEqual([
    ["plant'2", 0],
    ['plant1', 0.8],
  ]);
});

it('D-101 the dashboard of gateways counts those that are silent, and their machines as unknown', async () => {
  await central.postgres.run("UPDATE central.gateway SET heard_at = $1 WHERE gateway_id = 'plant1'", [Date.now()]);
  const rows = await shown(dashboard('plantgate-fleet'));
  const one = (title: string) => Number(Object.values(rows.get(title)?.[0] ?? {})[0]);
  expect(['All gateways', 'Silent', 'Machines', 'Unknown'].map(one)).toEqual([2, 1, 2, 1]);
  expect(rows.get('Gateways')?.map(({ gateway }) => gateway)).toHaveLength(2);
});

it('D-101 the dashboard of a machine shows means of a variable’s points', async () => {
  const rows = await shown(dashboard('plantgate-machine'), { gateway: ['plant1'], machine: ['RF-01'] });
  expect(rows.get('Variables')).toEqual([
    { time: new Date(START_AT), metric: 'lineSpeed', value: 29.5 },
    { time: new Date(START_AT + 60_000), metric: 'lineSpeed', value: 89.5 },
  ]);
});
