import { defineConfig } from 'vitest/config';
import { missingForArm64 } from './test/binary/arm64.ts';
import { LongestFirst } from './test/longest-first.ts';
import { findBrowser } from './test/page/find-browser.ts';
import { hasCurl, hasOpenssl, missingTools, works } from './test/samples/tools.ts';

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
if (!hasBrowser)
  console.warn(
    'The tests of the page are left out: they need chromium-headless-shell (apt-get install chromium-headless-shell).',
  );

/** Those that measure time: they run one file after the other, when all others are done. */
const TIMED = ['business', 'full-disk', 'hostile-input', 'overload', 'silence', 'update-full-disk', 'attacks/*'].map(
  (name) => `test/end-to-end/${name}.test.ts`,
);

/**
 * Parts that measure how busy the main thread is, or let days pass on a false clock: each in a process of its own. Work
 * that another file left behind would count in the one, and run for each moment of those days in the other.
 */
const ALONE = [
  'adapters/drawing/drawing-worker',
  'adapters/http/large-plant',
  'adapters/http/requests/request-turns',
  'adapters/system/backup-schedule',
  'config/plant-file/read-plant-file-apart',
].map((name) => `test/${name}.test.ts`);

/** The tests of the page after those of the program: together they took longer than one after the other. */
const PAGE_PROJECT = {
  extends: true as const,
  test: {
    name: 'page',
    include: PAGE,
    isolate: false,
    testTimeout: 60_000,
    sequence: { groupOrder: 2 },
  },
};

export default defineConfig({
  test: {
    testTimeout: 40_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    globalSetup: ['test/temporary-folder.ts', 'test/bundle-program.ts'],
    pool: 'forks',
    // As the program does itself (src/runtime/wasm-wrappers.ts).
    execArgv: ['--wasm-wrapper-tiering-budget=1000000000'],
    // One more than the processors of CI: many tests wait for real time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...PROGRAM, ...PAGE, ...ALONE, ...UNABLE],
          // A worker keeps the modules that it loaded: a process for each file costs half as much time again.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'program',
          include: PROGRAM,
          exclude: [...TIMED, ...UNBUILDABLE, ...UNABLE],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      ...(hasBrowser ? [PAGE_PROJECT] : []),
      {
        extends: true,
        test: { name: 'timed', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
