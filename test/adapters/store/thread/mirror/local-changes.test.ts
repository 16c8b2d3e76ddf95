import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalChanges, MAX_KNOWN_CHANGES } from '../../../../../src/adapters/store/thread/mirror/local-changes.ts';
import { coilEntity } from '../../../../../src/domain/sync/operation.ts';
import { newDataDir } from '../../open-test-store.ts';
import { openTestCore } from '../open-test-core.ts';

/** Longer than the server may still show the former state. */
const LATER_MS = 60_000;

let nowMs: number;

beforeEach(() => {
  nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function changes(isMirroring: boolean): LocalChanges {
  return new LocalChanges(openTestCore(newDataDir()).connection, isMirroring);
}

function noteMany(local: LocalChanges, count: number): void {
  for (let index = 0; index < count; index += 1) local.note(coilEntity(`C-${index}`));
}

describe('UP-07 records that changed here', () => {
  it('UP-07 are counted, but not kept by name if there is nothing to mirror', () => {
    const local = changes(false);
    noteMany(local, 3);
    expect(local.countOf('coil')).toBe(3);
    expect(local.since('coil', 0)).toEqual([]);
  });

  it('UP-07 are kept by name up to a bound', () => {
    const local = changes(true);
    noteMany(local, MAX_KNOWN_CHANGES);
    expect(local.since('coil', 0)).toHaveLength(MAX_KNOWN_CHANGES);
    noteMany(local, MAX_KNOWN_CHANGES);
    expect(local.since('coil', 0)).toHaveLength(MAX_KNOWN_CHANGES);
  });

  it('UP-07 are not overwritten by the reading under way beyond that bound; the next reading is as usual', () => {
    const local = changes(true);
    const watch = local.watch('coil');
    noteMany(local, MAX_KNOWN_CHANGES + 1);
    expect(watch.isNewer(coilEntity('C-0'))).toBe(true);
    expect(() => local.since('coil', 0)).toThrow(`more than ${MAX_KNOWN_CHANGES} records changed meanwhile`);
    expect(local.watch('task').isNewer('task:T-1')).toBe(false);
    nowMs += LATER_MS;
    expect(local.watch('coil').isNewer(coilEntity('C-0'))).toBe(false);
    expect(local.since('coil', nowMs)).toEqual([]);
  });
});
