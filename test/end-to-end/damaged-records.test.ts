import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { Gateway } from '../../src/gateway/gateway-parts.ts';
import { quietLog, threadEntry } from '../adapters/store/open-test-store.ts';
import { type Json, statusOf } from './program.ts';

/** A damaged record loses only itself: each stored value is damaged in turn, and the machines are served. */

const RF_42 = {
  machineId: 'RF-42',
  topicRoot: 'plant1/rf-42',
  catalogs: [1],
  serialNumber: 'S-42',
  variables: ['speed'],
};
const PLANT = {
  catalogs: [{ catalogId: 1, name: 'Standard', default: true }],
  locations: [{ code: 'RF-42', name: 'Rollformer 42', category: 'Machine' }],
  machines: [RF_42, { machineId: 'RF-07', topicRoot: 'plant1/rf-07' }],
  parts: [{ partId: 'P-100', partName: 'Panel 100' }],
  downtimeReasons: [{ id: 'DT-01', reason: 'Coil change' }],
  coils: [{ coilId: 'C-1', location: 'RF-42' }],
};

/** The damages of a cell: its first byte, so that the text does not parse, or a byte in the middle, so that it may. */
const DAMAGES = { 'first byte': 0, 'byte in the middle': 0.5 } as const;

interface Cell {
  readonly table: string;
  readonly column: string;
  readonly row: number;
  readonly key: string;
}

class SampleGateway {
  readonly #gateway: Gateway;
  readonly #url: string;

  private constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#url = `http://127.0.0.1:${gateway.addresses.httpPort}`;
  }

  static async start(dir: string): Promise<SampleGateway> {
    const { config } = loadConfig({
      file: path.join(dir, 'plantgate.yaml'),
      environment: {},
      cwd: dir,
      hostName: 'test',
      timeZone: 'UTC',
    });
    return new SampleGateway(await createGateway(config, { log: quietLog, storeThreadEntry: threadEntry }));
  }

  async call(method: string, place: string, body?: object): Promise<{ status: number; body: Json }> {
    const answer = await fetch(`${this.#url}${place}`, {
      method,
      headers: { authorization: `ApiKey ${this.#gateway.localKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }

  status(machineId: string, more: object = {}) {
    return this.call('POST', '/api/device/status', statusOf({ machineId, partId: 'P-100', ...more }));
  }

  close(): Promise<void> {
    return this.#gateway.close();
  }
}

const sample = mkdtempSync(path.join(tmpdir(), 'plantgate-damage-'));
const settings = {
  http: { host: '127.0.0.1', port: 0 },
  mqtt: { host: '127.0.0.1', port: 0 },
  // No program listens there, so the tables of the queue are not empty.
  upstream: { url: 'http://127.0.0.1:9', apiKey: 'central-key' },
};

beforeAll(async () => {
  writeFileSync(path.join(sample, 'plant.yaml'), JSON.stringify(PLANT));
  writeFileSync(path.join(sample, 'plantgate.yaml'), JSON.stringify({ ...settings, plant: './plant.yaml' }));
  const gateway = await SampleGateway.start(sample);
  for (const [mSecSinceBoot, running] of [
    [1_000, true],
    [2_000, false],
    [3_000, true],
    [4_000, false],
  ] as const) {
    await gateway.status('RF-42', { mSecSinceBoot, running, goodPart: mSecSinceBoot / 100, jobNumber: 'J-1' });
  }
  await gateway.status('RF-07');
  await gateway.call('POST', '/api/device/vars', { machineId: 'RF-42', speed: 12 });
  await gateway.call('PUT', '/api/local/machines/RF-42/part', { partId: 'P-100' });
  await gateway.close();
  writeFileSync(path.join(sample, 'plantgate.yaml'), JSON.stringify(settings));
}, 30_000);

afterAll(() => rmSync(sample, { recursive: true, force: true }));

function databaseOf(dir: string) {
  return new Database(path.join(dir, 'data', 'plantgate.db'));
}

/** Every text and blob that the sample holds. */
function cellsOf(dir: string): readonly Cell[] {
  const database = databaseOf(dir);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  const cells = tables.flatMap((table) => {
    const rows = database.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
    return rows.flatMap((values, row) =>
      Object.entries(values)
        .filter(([, value]) => typeof value === 'string' || value instanceof Buffer)
        .map(([column]) => ({ table, column, row, key: keyOf(table, values) })),
    );
  });
  database.close();
  return cells;
}

function keyOf(table: string, values: Record<string, unknown>): string {
  return table === 'plant' ? `${values.kind} ${values.id}` : String(values.machine_id ?? '');
}

function damage(dir: string, { table, column, row }: Cell, place: number): void {
  const database = databaseOf(dir);
  const rows = database.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
  const before = rows[row]?.[column];
  const bytes = Buffer.from(before as string | Buffer);
  const index = Math.floor(bytes.length * place);
  bytes[index] = (bytes[index] ?? 0) ^ 0x20;
  const after = typeof before === 'string' ? bytes.toString() : bytes;
  const keys = Object.entries(rows[row] ?? {}).filter(([, value]) => value !== null);
  const where = keys.map(([name]) => `${name} = ?`).join(' AND ');
  database
    .prepare(`UPDATE OR REPLACE ${table} SET ${column} = ? WHERE ${where}`)
    .run(after, ...keys.map(([, value]) => value));
  database.close();
}

/** A copy of the sample in which one value is damaged, with a gateway on it. */
async function startDamaged(cell: Cell, place: number): Promise<SampleGateway> {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-damaged-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(sample, dir, { recursive: true });
  damage(dir, cell, place);
  return SampleGateway.start(dir);
}

/** Writes each record of the plant again, and sends a status of each machine; gives the refused ones. */
async function refusedBy(gateway: SampleGateway): Promise<readonly string[]> {
  const refused: string[] = [];
  const ask = async (method: string, place: string, body?: object) => {
    const answer = await gateway.call(method, place, body);
    if (answer.status >= 400) refused.push(`${method} ${place} ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  await ask('GET', '/readyz');
  await ask('PUT', '/api/local/plant/catalogs/1', PLANT.catalogs[0]);
  await ask('PUT', '/api/local/plant/locations/RF-42', PLANT.locations[0]);
  await ask('PUT', '/api/local/plant/parts/P-100', PLANT.parts[0]);
  for (const machine of PLANT.machines) {
    const { machineId } = machine;
    await ask('PUT', `/api/local/plant/machines/${machineId}`, { ...machine, name: 'anew' });
    await ask('POST', '/api/device/status', statusOf({ machineId, mSecSinceBoot: 9_000 }));
    await ask('GET', `/api/local/machines/${machineId}`);
    await ask('GET', `/api/local/machines/${machineId}/production`);
  }
  for (const place of ['/api/local/machines', '/api/local/diagnostics', '/api/local/sync']) await ask('GET', place);
  return refused;
}

const cells = () => cellsOf(sample);
const SERVING_TABLES = ['plant', 'machine_state', 'machine_part', 'catalog_subscription'];
/** The rows of the plant that RF-42 needs; only these, because each start takes time. */
const PLANT_ROWS = ['machines RF-42', 'catalogs 1'];

for (const [what, place] of Object.entries(DAMAGES)) {
  it.each(SERVING_TABLES)(
    `a damaged value in %s (${what}) loses only its own record`,
    { timeout: 120_000 },
    async (table) => {
      const damaged = cells().filter(
        (found) => found.table === table && (table !== 'plant' || PLANT_ROWS.includes(found.key)),
      );
      expect(damaged).not.toEqual([]);
      for (const cell of damaged) {
        const gateway = await startDamaged(cell, place);
        expect(await refusedBy(gateway), JSON.stringify(cell)).toEqual([]);
        await gateway.close();
      }
    },
  );
}

it.each([
  ['plant', 'machines RF-42', true],
  ['machine_state', 'RF-42', false],
  ['machine_part', 'RF-42', false],
])('a damaged record of %s is named until it is written again', async (table, key, isMended) => {
  const cell = cells().find((found) => found.table === table && found.column === 'json' && found.key === key);
  if (cell === undefined) throw new Error(`no ${key} in ${table}`);
  const gateway = await startDamaged(cell, DAMAGES['first byte']);
  const said = expect.stringMatching(`^${table} ${key}: .`);
  expect(await gateway.call('GET', '/readyz')).toMatchObject({
    status: 200,
    body: { ready: true, damagedRecords: [said] },
  });
  const { body } = await gateway.call('GET', '/api/local/diagnostics');
  expect(body.store).toContainEqual(expect.objectContaining({ subject: `${table} ${key}` }));
  expect(body.storage.damagedRecords).toEqual([said]);
  expect(await refusedBy(gateway)).toEqual([]);
  expect((await gateway.call('GET', '/readyz')).body.damagedRecords).toEqual(isMended ? undefined : [said]);
  await gateway.close();
});
