import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Program, statusOf } from './program.ts';

const PATIENCE = { timeout: 15_000, interval: 50 };

let program: Program;
beforeAll(async () => {
  program = await Program.start();
});
afterAll(() => program.end());

it('a log level that a person chose counts at once, and until SIGHUP', async () => {
  const incidents = () => program.log.filter((line) => line.includes('RF-99')).length;
  await program.device('status', statusOf({ machineId: 'RF-99' }));
  await vi.waitFor(() => expect(incidents()).toBe(1), PATIENCE);
  expect((await program.api('PUT', '/log-level', { level: 'fatal' })).status).toBe(200);
  await program.device('status', statusOf({ machineId: 'RF-99-of-another-line' }));
  program.process.kill('SIGHUP');
  await vi.waitFor(() => expect(program.log.join('\n')).toContain('"logLevel":"info"'), PATIENCE);
  expect((await program.api('GET', '/log-level')).body).toEqual({ level: 'info' });
  expect(incidents()).toBe(1);
});
