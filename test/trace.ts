import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** How many statements each area of the requirements ledger and of the decisions has. */
const AREAS: Readonly<Record<string, number>> = {
  DEV: 20,
  MQTT: 13,
  HTTP: 5,
  VAR: 4,
  TASK: 14,
  COIL: 5,
  ORD: 3,
  PROF: 7,
  SYNC: 6,
  AUTH: 2,
  ERR: 1,
  UP: 7,
  D: 31,
};

/** Areas whose every statement is built and has to be named by a test. */
const BUILT_AREAS = ['DEV', 'MQTT', 'HTTP', 'VAR', 'PROF', 'SYNC'];
const BUILT_DECISIONS = 13;

function idsOf(area: string): readonly string[] {
  return Array.from({ length: AREAS[area] ?? 0 }, (_, index) => `${area}-${String(index + 1).padStart(2, '0')}`);
}

/** Every requirement and decision id there is. */
export function allIds(): readonly string[] {
  return Object.keys(AREAS).flatMap(idsOf);
}

/** The ids that a test has to name by now. */
export function builtIds(): readonly string[] {
  return [...BUILT_AREAS.flatMap(idsOf), ...idsOf('D').slice(0, BUILT_DECISIONS)];
}

const TITLE = /\b(?:it|test|describe)(?:\.each)?\b[\s\S]*?(['"`])((?:(?!\1)[\s\S])*)\1/g;

/** The ids that test titles name, `DEV-01 to DEV-04` included. */
export function namedIds(folder: string): ReadonlySet<string> {
  const named = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.test.ts')) continue;
    for (const [, , title = ''] of readFileSync(path.join(entry.parentPath, entry.name), 'utf8').matchAll(TITLE)) {
      for (const [id] of title.matchAll(/\b[A-Z]+-\d{2}\b/g)) named.add(id);
    }
  }
  return named;
}

if (process.argv[1] === import.meta.filename) {
  const named = namedIds(import.meta.dirname);
  const missing = allIds().filter((id) => !named.has(id));
  console.log(
    `${allIds().length - missing.length} of ${allIds().length} ids are named by a test; not named: ${missing.join(' ') || 'none'}`,
  );
}
