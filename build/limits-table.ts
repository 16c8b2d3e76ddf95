import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { constantsIn, type Limit, limitsOf, testsOf } from './read-limits.ts';
import { configurationDefault } from './reference/reference.ts';

const root = path.resolve(import.meta.dirname, '..');
export const LIMITS_DOCUMENT = path.join(root, 'docs/limits.md');

/** Files with an object LIMITS: each limit has its number, and a comment that explains it. */
const SOURCES: readonly (readonly [title: string, file: string])[] = [
  ['MQTT', 'src/adapters/broker/limits.ts'],
  ['HTTP', 'src/adapters/http/limits.ts'],
  ['Requests to other servers', 'src/adapters/central/limits.ts'],
];

/** Folders whose limits are constants in the files that they bound. */
export const FOLDERS: readonly (readonly [title: string, folder: string])[] = [
  ['Rules', 'src/domain'],
  ['Flows', 'src/flows'],
  ['Store', 'src/adapters/store'],
  ['Configuration and plant file', 'src/config'],
  ['MQTT, in single files', 'src/adapters/broker'],
  ['HTTP, in single files', 'src/adapters/http'],
  ['Other servers, in single files', 'src/adapters/central'],
  ['Discovery', 'src/adapters/discovery'],
  ['System', 'src/adapters/system'],
  ['Updates', 'src/adapters/update'],
  ['Drawings', 'src/adapters/drawing'],
];

/** The limits that a configuration can change. Their numbers are the defaults of its schema. */
const CONFIGURED: readonly (readonly [key: string, unit: string, meaning: string])[] = [
  ['http.requestsPerSecond', '', 'More requests of one API key to `/api/v1` are answered with 429 (D-25).'],
  ['mqtt.maxPacketBytes', 'bytes', 'A larger packet closes its connection at once.'],
  ['devices.timeoutSeconds', 's', 'A machine that is silent for longer may not run (rule 3).'],
  ['devices.maxUpdatesPerSecond', '', 'Above it the newest status of a machine wins (D-12).'],
  [
    'storage.maxQueueBytes',
    'on disk',
    'The queue for the central server is thinned: variables first, never an operation.',
  ],
  ['storage.variableRetentionDays', 'days', 'Older points are deleted.'],
  ['storage.statusRetentionDays', 'days', 'Older statuses are deleted.'],
  ['storage.auditRetentionDays', 'days', 'Older entries of who did what are deleted.'],
];

function configuredRow([key, unit, meaning]: (typeof CONFIGURED)[number]): readonly string[] {
  const fallback = configurationDefault(key);
  if (fallback === undefined) throw new Error(`${key}: the configuration has no such key with a default`);
  const number = typeof fallback === 'number' ? fallback.toLocaleString('en-US') : String(fallback);
  return [key, `${number} ${unit}`.trim(), meaning];
}

/** The limits of the flows that bound memory over all clients together. */
const MEMORY_OF_FLOWS: readonly string[] = ['MAX_ALL_RINGS_BYTES', 'MAX_INCIDENT_BYTES'];

/** The limits that bound memory over all clients together, as against one client or a number of things. */
const MEMORY: Readonly<Record<string, readonly string[]>> = {
  'src/adapters/broker/limits.ts': [
    'feedBytes',
    'keptBytes',
    'unreadBytes',
    'sessionBytes',
    'liveSubscriptionBytes',
    'incomingBytes',
    'retainedBytes',
    'willBytes',
    'partialPacketBytes',
  ],
  'src/adapters/http/limits.ts': ['unfinishedBodyBytes', 'waitingRequestBytes', 'unreadBytes', 'eventBacklogBytes'],
};

const COLUMNS = ['limit', 'number', 'what it bounds, and what happens at it'];

function cellsOf(limit: Limit): readonly string[] {
  return [`\`${limit.name}\``, quantity(limit), limit.comment ?? ''];
}

function link(file: string): string {
  return `[${path.basename(file)}](../${file})`;
}

function quantity({ name, value }: Limit): string {
  const number = value.toLocaleString('en-US');
  if (/(Bytes|Allowance|_BYTES)$/.test(name)) return `${number} bytes`;
  if (/(Length|_LENGTH)$/.test(name)) return `${number} characters`;
  return /(Ms|_MS)$/.test(name) ? `${number} ms` : number;
}

/** The whole document. */
export async function limitsDocument(): Promise<string> {
  const parts = [OPENING, table(['configuration key', 'default', 'what happens at it'], CONFIGURED.map(configuredRow))];
  for (const [title, file] of SOURCES) {
    const rows = (await limitsOf(file)).map((limit) => [
      ...cellsOf(limit),
      testsOf(file, limit.name).map(link).join(' '),
    ]);
    parts.push(`## ${title}\n\nFrom \`${file}\`.\n\n${table([...COLUMNS, 'test'], rows)}`);
  }
  for (const [title, folder] of FOLDERS) {
    const rows = constantsIn(folder).map((limit) => [...cellsOf(limit), link(limit.file)]);
    parts.push(`## ${title}\n\n${table([...COLUMNS, 'source'], rows)}`);
  }
  parts.push(await memorySection());
  return `${parts.join('\n\n')}\n`;
}

/** The maximum memory that clients can fill, all at once. */
export async function memoryLimits(): Promise<readonly Limit[]> {
  const found = await Promise.all(
    Object.entries(MEMORY).map(async ([file, names]) =>
      (await limitsOf(file)).filter(({ name }) => names.includes(name)),
    ),
  );
  return [...found.flat(), ...constantsIn('src/flows').filter(({ name }) => MEMORY_OF_FLOWS.includes(name))];
}

async function memorySection(): Promise<string> {
  const limits = await memoryLimits();
  const sum = limits.reduce((bytes, { value }) => bytes + value, 0);
  const rows = limits.map((limit) => [sideOf(limit), `\`${limit.name}\``, quantity(limit)]);
  return `${MEMORY_OPENING}\n\n${table(['side', 'limit', 'number'], [...rows, ['', 'sum', `${sum.toLocaleString('en-US')} bytes`]])}`;
}

/** `broker`, `http`, `device`: the folder below adapters or flows. */
function sideOf({ file }: Limit): string {
  return file.split('/')[2] ?? '';
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

const OPENING = `# Limits

Everything that a client can fill has a limit with a name and a number. At a limit the client that asks for more is
refused, waits, or is cut off, and diagnostics name it; machines are answered meanwhile. This document is generated from
the sources by \`npm run limits\`; a test fails when it is out of date. [architecture.md](architecture.md) says which queue
stands between whom. Only the limits of the first table can be configured.

## Configuration`;

const MEMORY_OPENING = `## Memory that clients can fill

These limits hold over all clients together. Their sum is what hostile clients can fill at the same time; a test keeps it
below 100 MiB. Each connection takes a few KiB beside them, within the limits of connections. The test of attacks
(\`npm run attack\`) fills everything at once and measures the process.`;

if (import.meta.filename === process.argv[1]) writeFileSync(LIMITS_DOCUMENT, await limitsDocument());
