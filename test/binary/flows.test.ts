import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { Program } from '../end-to-end/program.ts';
import { keyOf, stockCentral, warehousePlant } from '../end-to-end/warehouse-plant.ts';
import { CentralServer } from '../fakes/central-server.ts';

const binary = path.resolve(import.meta.dirname, `../../dist/plantgate-linux-${process.arch}`);
const run = promisify(execFile);
const TASKS = [{ taskId: 'T-1', taskState: 'Ready' }] as const;
const PAT = { name: 'pat', password: 'rolls and coils' };

/** The single binary until the end of the test. */
async function start(options: Parameters<typeof Program.start>[0]): Promise<Program> {
  const program = await Program.start({ binary, ...options });
  onTestFinished(() => program.end());
  return program;
}

const plant = JSON.stringify({
  ...JSON.parse(warehousePlant(TASKS)),
  users: [{ ...PAT, role: 'technician' }],
  parts: [{ partId: 'P-100', partName: 'Panel' }],
});

async function erp({ httpPort }: Program, method: string, place: string, body?: object): Promise<number> {
  const headers = { authorization: `ApiKey ${keyOf(0)}`, 'content-type': 'application/json' };
  const options = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return (await fetch(`http://127.0.0.1:${httpPort}/api/v1${place}`, options)).status;
}

/** Gets a path over HTTPS, and trusts this authority alone. */
function getSecurely(port: number, ca: Buffer, place: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, ca, path: place, servername: 'localhost' }, (answer) => {
      resolve(answer.resume().statusCode);
    });
    asked.on('error', reject).end();
  });
}

it('the single binary signs people in, takes the work of the ERP and forwards it, and is moved with TLS to another directory', {
  timeout: 90_000,
}, async () => {
  const central = new CentralServer();
  await central.start();
  onTestFinished(() => central.stop());
  stockCentral(central.plant, TASKS);
  const upstream = `upstream: { url: "${central.url}", apiKey: central-key, pollSeconds: 1 }\ngatewayId: line-3\n`;
  const first = await start({ plant, settings: upstream });

  const session = await fetch(`http://127.0.0.1:${first.httpPort}/api/local/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${first.httpPort}` },
    body: JSON.stringify(PAT),
  });
  expect(session.status).toBe(200);
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const chosen = await fetch(`http://127.0.0.1:${first.httpPort}/api/local/machines/RF-01/part`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', cookie, origin: `http://127.0.0.1:${first.httpPort}` },
    body: JSON.stringify({ partId: 'P-100' }),
  });
  expect(chosen.status).toBeLessThan(300);

  expect(await erp(first, 'POST', '/orders/add', { documentID: 'D-1', products: [] })).toBe(200);
  expect(await erp(first, 'POST', '/warehouseTasks/T-1/inProcess', { userName: 'Pat' })).toBe(202);
  await expect
    .poll(() => [central.plant.orders.size, central.plant.tasks.get('T-1')?.taskState], { timeout: 20_000 })
    .toEqual([1, 'InProcess']);

  const backup = path.join(first.dir, 'moved.db');
  const config = ['--config', path.join(first.dir, 'plantgate.yaml')];
  await run(binary, ['backup', backup, ...config]);
  expect(await first.stop()).toBe(0);

  const dir = Program.prepare({ plant, settings: upstream });
  const moved = path.join(dir, 'plantgate.yaml');
  const certs = path.join(dir, 'certs');
  await run(binary, ['cert', certs, '--host', 'localhost']);
  const tls = `tls: { cert: ${certs}/server.pem, key: ${certs}/server.key }`;
  writeFileSync(moved, readFileSync(moved, 'utf8').replace('http: { host', `http: { ${tls}, host`));
  await run(binary, ['restore', backup, '--config', moved]);
  const second = await start({ dir });
  expect(await getSecurely(second.httpPort, readFileSync(path.join(certs, 'ca.pem')), '/readyz')).toBe(200);
  const { stdout } = await run(binary, ['status', '--json', '--config', moved]);
  expect(JSON.parse(stdout)).toMatchObject({ machines: expect.arrayContaining([expect.anything()]) });
  expect(stdout).toContain('P-100');
});
