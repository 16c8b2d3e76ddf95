import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway } from '../gateway-under-test.ts';

const run = promisify(execFile);
const MODULES = path.resolve(import.meta.dirname, '../../../../node_modules');
const LINTER = path.join(import.meta.dirname, 'lint-open-api.ts');
const tool = (name: string) => path.join(MODULES, '.bin', name);
const folder = mkdtempSync(path.join(tmpdir(), 'plantgate-client-'));

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The compiler prints the faults on its output. */
function told(error: { readonly stdout: string }): never {
  throw new Error(error.stdout);
}

/** The program of an integrator, with the generated types. */
const CLIENT = `
import type { components } from './plantgate.mts';
import type { components as local, paths } from './plantgate-local.mts';
type Machines = paths['/api/local/machines']['get']['responses'][200]['content']['application/json'];
type Command = components['schemas']['Command'];
const [url = '', key = ''] = process.argv.slice(2);
const status: components['schemas']['DeviceStatus'] = {
  machineId: 'RF-01', running: true, mSecSinceBoot: 1_000, cycle: 1, goodPart: 1, badPart: 0, override: false, machinePower: true,
};
const post = await fetch(url + '/api/device/status', { method: 'POST', body: JSON.stringify(status) });
const command = (await post.json()) as Command;
const get = await fetch(url + '/api/local/machines', { headers: { authorization: 'ApiKey ' + key } });
const machines = (await get.json()) as Machines;
const machine: local['schemas']['Machine'] | undefined = machines.find(({ machineId }) => machineId === command.machineId);
console.log(machine?.decision.cause?.kind, machine?.rules.length);
`;

describe('generated documents', () => {
  it.each(['openapi', 'openapi-local'])(
    '%s.json has no error and no warning according to Redocly and Spectral',
    async (name) => {
      const { stdout } = await run(process.execPath, [LINTER, `${gateway.url}/${name}.json`]);
      expect(JSON.parse(stdout)).toEqual([]);
    },
  );

  it('types that openapi-typescript makes from openapi.json fit the gateway', { timeout: 60_000 }, async () => {
    for (const [document, file] of [
      ['openapi', 'plantgate.mts'],
      ['openapi-local', 'plantgate-local.mts'],
    ] as const)
      await run(tool('openapi-typescript'), [`${gateway.url}/${document}.json`, '-o', path.join(folder, file)]);
    const client = path.join(folder, 'client.mts');
    writeFileSync(client, CLIENT);
    // The types of Node are not ours to check; plantgate.mts is no declaration file, so it is checked.
    const types = ['--skipLibCheck', '--typeRoots', path.join(MODULES, '@types'), '--types', 'node'];
    const language = ['--target', 'es2023', '--module', 'nodenext', '--allowImportingTsExtensions'];
    await run(tool('tsc'), [client, '--noEmit', '--strict', '--ignoreConfig', ...types, ...language]).catch(told);
    const { stdout } = await run(process.execPath, [client, gateway.url, keyOf('technician')]);
    expect(stdout.trim()).toBe('noPart 4');
  });
});
