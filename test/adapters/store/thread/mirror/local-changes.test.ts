import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalChanges, MAX_KNOWN_CHANGES } from '../../../../../src/adapters/store/thread/mirror/local-changes.ts';
import { coilEntity } from '../../../../../src/domain/sync/operation.ts';
import { newDataDir, openTestCore } from '../../open-test-store.ts';

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
  it.each([
    ['mirrored', true],
    ['not mirrored', false],
  ])('UP-07 are counted; %s, they are newer than a reading: %s', (_, isMirroring) => {
    const local = changes(isMirroring);
    const watch = local.watch('coil');
    noteMany(local, 3);
    expect(local.countOf('coil')).toBe(3);
    expect(watch.isNewer(coilEntity('C-0'))).toBe(isMirroring);
  });

  it('UP-07 are not overwritten by the reading under way beyond that bound; the next reading is as usual', () => {
    const local = changes(true);
    const watch = local.watch('coil');
    noteMany(local, MAX_KNOWN_CHANGES + 1);
    expect(watch.isNewer(coilEntity('C-0'))).toBe(true);
    expect(local.watch('task').isNewer('task:T-1')).toBe(false);
    nowMs += LATER_MS;
    expect(local.watch('coil').isNewer(coilEntity('C-0'))).toBe(false);
  });
});
