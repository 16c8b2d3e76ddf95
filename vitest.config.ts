import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import {
  findBrowser,
  findFirefox,
  hasCurl,
  hasOpenssl,
  missingForArm64,
  missingTools,
  works,
} from './test/this-computer.ts';

/** Tests of the page, in a real browser. */
const PAGE = ['test/page/**/*.test.ts'];
/** Tests of the real program. */
const PROGRAM = ['test/end-to-end/**/*.test.ts', 'test/binary/**/*.test.ts', 'test/samples/**/*.test.ts'];
/** Tests of firmware samples that need a compiler or a library that is not here. */
const UNBUILDABLE = missingTools().map(([name, cure]) => {
  console.warn(`The test of the ${name} sample is left out: its tools are missing (${cure}).`);
  return `test/samples/${name}.test.ts`;
});
/** The test of the binary for arm64, where it cannot run; CI has all that it needs, and no excuse. */
const NO_ARM64 = process.env.CI === 'true' ? null : missingForArm64();
if (NO_ARM64 !== null) console.warn(`The test of the arm64 binary is left out: it needs ${NO_ARM64}.`);
const hasCompiler = works('gcc', '--version');
if (!hasCompiler) console.warn('The test of the unit file’s address families is left out: it needs gcc.');
if (!hasOpenssl) console.warn('The tests of `plantgate cert` are left out: they need openssl.');
if (!hasCurl) console.warn('The lines of the demo that call curl are not tried: curl is missing.');
const NEEDS_OPENSSL = ['cli/commands/cert', 'end-to-end/reload', 'binary/flows'].map((name) => `test/${name}.test.ts`);
const UNABLE = [
  ...(hasOpenssl ? [] : NEEDS_OPENSSL),
  ...(NO_ARM64 === null ? [] : ['test/binary/arm64.test.ts']),
  ...(hasCompiler ? [] : ['test/end-to-end/confined/address-families.test.ts']),
];
const hasBrowser = findBrowser() !== null;
const hasFirefox = findFirefox() !== null;
if (hasBrowser && !hasFirefox) console.warn('The tests in Firefox are left out: apt-get install firefox-esr.');
if (!hasBrowser)
  console.warn(
    'The tests of the page are left out: they need chromium-headless-shell (apt-get install chromium-headless-shell).',
  );

const FIREFOX = 'test/page/firefox.test.ts';

/** Those that measure time: they run one file after the other, when all others are done. */
const TIMED = ['business', 'full-disk', 'hostile-input', 'overload', 'silence', 'update-full-disk', 'attacks/*'].map(
  (name) => `test/end-to-end/${name}.test.ts`,
);

/** The tests of the real program that `npm test` runs: each of its promises once. */
const EVERYDAY_PROGRAM = [
  'backup',
  'clock',
  'durability',
  'forward',
  'gateway',
  'mistakes',
  'plant-commands',
  'presence',
  'reload',
  'terminal',
  'update',
  'write-through',
].map((name) => `test/end-to-end/${name}.test.ts`);

/** The tests of the page that `npm test` runs: each place once, and the acts that machines and drivers wait for. */
const EVERYDAY_PAGE = [
  'docs',
  'first-run',
  'machine',
  'nowhere',
  'page',
  'production',
  'scanner',
  'screens',
  'warehouse',
].map((name) => `test/page/${name}.test.ts`);

/** Tests of parts that take long and seldom fail: `npm run test:all` alone runs them. */
const SLOW_PARTS = [
  'adapters/http/documents/generated-client',
  'adapters/http/slow-bodies',
  'adapters/http/v1/mirror',
  'adapters/store/retention',
  'adapters/store/thread/warehouse/coil-search',
  'adapters/system/watch',
  'cli/commands/update/archive',
  'cli/commands/update/power-cut',
  'config/plant-file/read-plant-file-apart',
  'config/yaml/yaml-source',
  'flows/backup/backups',
  'flows/device/correct-clock',
  'simulator/wire',
].map((name) => `test/${name}.test.ts`);

/**
 * Parts that measure how busy the main thread is, or let days pass on a false clock: each in a process of its own. Work
 * that another file left behind would count in the one, and run for each moment of those days in the other.
 */
const ALONE = [
  'adapters/drawing/drawing-worker',
  'adapters/http/large-plant',
  'adapters/http/requests/request-turns',
  'adapters/system/backup-schedule',
].map((name) => `test/${name}.test.ts`);

/** The interfaces that a node of a central server on PostgreSQL serves as any other does. */
const ON_POSTGRES = [
  'test/adapters/http/v1/*.test.ts',
  ...[
    'access',
    'audit',
    'gateway-groups',
    'gateways-of-plants',
    'list-searches',
    'plant-loads',
    'roll-outs',
    'scans',
    'sessions',
    'sync',
    'two-people',
  ].map((name) => `test/adapters/http/${name}.test.ts`),
];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    globalSetup: 'test/bundle-program.ts',
    pool: 'forks',
    // As the program does itself (src/runtime/wasm-wrappers.ts).
    execArgv: ['--wasm-wrapper-tiering-budget=1000000000'],
    // One more than the processors of CI: many tests wait for real time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // `npm test` runs the first four, `npm run test:all` all of them (docs/development.md). Those of the page come after
    // those of the program: together they took longer.
    projects: [
      project('parts', 0, ['test/**/*.test.ts'], [...PROGRAM, ...PAGE, ...ALONE, ...SLOW_PARTS]),
      { ...project('alone', 0, ALONE), isolate: true },
      project('program', 1, EVERYDAY_PROGRAM),
      project('page', 2, hasBrowser ? EVERYDAY_PAGE : []),
      { ...project('slow parts', 3, SLOW_PARTS), isolate: true },
      // The gateway's own handler serves all clients that are no machines, in place of aedes.
      { ...project('own handler', 3, ['test/adapters/broker/**/*.test.ts']), env: { OWN_HANDLER: '1' } },
      // The business interface at a node of a central server on PostgreSQL (D-79).
      { ...project('on PostgreSQL', 3, ON_POSTGRES), env: { CENTRAL: '1' } },
      project('whole program', 4, PROGRAM, [...EVERYDAY_PROGRAM, ...TIMED, ...UNBUILDABLE]),
      project('whole page', 5, hasBrowser ? PAGE : [], [...EVERYDAY_PAGE, ...(hasFirefox ? [] : [FIREFOX])]),
      { ...project('timed', 6, TIMED), isolate: true, maxWorkers: 1 },
    ].map((test) => ({ extends: true as const, test })),
  },
});

/**
 * Tests that run after those of lower groups. A worker keeps the modules that it loaded: a process for each file costs
 * half as much time again.
 */
function project(name: string, group: number, include: string[], exclude: string[] = []) {
  return {
    name,
    include,
    exclude: [...exclude, ...UNABLE],
    isolate: false,
    sequence: { groupOrder: group },
  };
}
