import { readdir, stat } from 'node:fs/promises';
import { arch, cpus, freemem, loadavg, release, totalmem, uptime } from 'node:os';
import path from 'node:path';
import type { Config } from '../../../config/config-schema.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { VERSION } from '../../../version.ts';
import { openLocalClient } from '../../local-client.ts';
import { askProgram } from '../doctor/ask-program.ts';
import type { ServiceName } from '../service/installation.ts';

/** The content of a file of the bundle: a text, or a value that is written as JSON. */
export type Part = { readonly text: string } | { readonly json: unknown };
export type Parts = Readonly<Record<string, Part>>;

const LOG_LINES = 5_000;
const LOG_TIMEOUT_MS = 30_000;
const MAX_LISTED_FILES = 1_000;

const NO_LOG =
  'journalctl is missing, or this user may not read the log of the service. A bundle from the page has no log: run "sudo plantgate support-bundle FILE". For a container "docker logs" shows the log.';

/** The answers of the local API in the bundle. */
const ANSWERS = [
  'system',
  'sync',
  'sync/history',
  'diagnostics',
  'machines',
  // Recipients are left out: they have addresses of people.
  'alerts/rules',
  'alerts/channels',
] as const;

/** The program and the computer. */
export function versionPart(): Part {
  const [processor] = cpus();
  return {
    json: {
      version: VERSION,
      node: process.versions,
      kernel: release(),
      architecture: arch(),
      processors: cpus().length,
      processor: processor?.model ?? null,
      memoryBytes: { total: totalmem(), free: freemem() },
      load: loadavg(),
      uptimeSeconds: uptime(),
      takenAt: new Date().toISOString(),
    },
  };
}

/** The running gateway's answers; without an answer the file has the reason. */
export async function gatewayParts({ dataDir }: Config): Promise<Parts> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return { 'gateway/not-asked.txt': { text: opened.sentence } };
  const { client } = opened;
  const answers = await Promise.all(
    ANSWERS.map(async (name) => {
      const answer = await client.call('GET', `/api/local/${name}`);
      return [`gateway/${name.replace('/', '-')}.json`, { json: answer.ok ? answer.body : answer.sentence }] as const;
    }),
  );
  const metrics = await client.getText('/metrics');
  const text = typeof metrics === 'string' ? metrics : metrics.sentence;
  return { ...Object.fromEntries(answers), 'gateway/metrics.txt': { text } };
}

/** The newest lines of the service's log; without journald the file says where else to look. */
export async function logParts(service: ServiceName): Promise<Parts> {
  const words = [`--unit=${service}`, `--lines=${LOG_LINES}`, '--no-pager', '--output=short-iso'];
  const text = await askProgram('journalctl', words, LOG_TIMEOUT_MS);
  return text === null ? { 'log-not-read.txt': { text: NO_LOG } } : { 'log.txt': { text } };
}

/** The names and sizes of the files in the data directory, never their content. */
export async function filesPart({ dataDir }: Config): Promise<Part> {
  const names = await namesBelow(dataDir).catch(errorMessage);
  if (typeof names === 'string') return { json: { dataDir, fault: names } };
  const files = await Promise.all(
    names.slice(0, MAX_LISTED_FILES).map(async (name) => {
      // A file that was removed meanwhile, or that this user may not look at, is listed with the reason.
      const stats = await stat(path.join(dataDir, name)).catch(errorMessage);
      if (typeof stats === 'string') return { name, fault: stats };
      return { name, bytes: stats.size, mode: stats.mode.toString(8), changedAt: stats.mtime.toISOString() };
    }),
  );
  return { json: { dataDir, files, notListed: Math.max(0, names.length - MAX_LISTED_FILES) } };
}

/** Follows no symbolic link, unlike the recursive `readdir`, because it would list the files of the whole computer. */
async function namesBelow(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.map(async (entry) => {
    const below = entry.isDirectory() ? await namesBelow(path.join(dir, entry.name)) : [];
    return [entry.name, ...below.map((name) => path.join(entry.name, name))];
  });
  return (await Promise.all(names)).flat();
}
