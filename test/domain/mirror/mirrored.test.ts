import { describe, expect, it } from 'vitest';
import { mirroredCoil } from '../../../src/domain/mirror/mirrored-coil.ts';
import { mirroredCatalog, mirroredLocation, mirroredReasonCode } from '../../../src/domain/mirror/mirrored-plant.ts';
import { mirroredProfile, profileAfter } from '../../../src/domain/mirror/mirrored-profile.ts';
import { machineSideOf, mirroredTask, updatedTask } from '../../../src/domain/mirror/mirrored-task.ts';
import { taskView } from '../../../src/domain/warehouse/task.ts';
import { coilOf, taskOf } from '../warehouse/warehouse-samples.ts';

const LISTED = taskView(taskOf());
const LISTED_PROFILE = {
  profileId: 'P-1',
  profileName: 'Panel',
  owningCatalogId: 1,
  features: [{ type: 'Straight', length: 5 }],
};

function newsOf(fields: object) {
  const read = mirroredTask({ ...LISTED, ...fields });
  if (!read.ok) throw new Error(read.fault);
  return read.record;
}

describe('records of a central server', () => {
  it('UP-07 are read with the fields of the interface; other fields are left out', () => {
    expect(mirroredCoil({ ...coilOf('C-1'), secret: 1 })).toEqual({ ok: true, record: coilOf('C-1') });
    const bare = mirroredCoil({ coilId: 'C-1', location: 'WH-A1' });
    expect(bare).toMatchObject({ ok: true, record: { gauge: null, isComplete: false, vendorName: null } });
    expect(mirroredReasonCode({ id: 'R', codeSet: 'OverrideReasons', reason: 'x' })).toMatchObject({ ok: true });
    expect(mirroredLocation({ code: 'L', name: 'x', category: 'Bin' })).toMatchObject({ ok: true });
    const catalog = { catalogId: 1, name: 'A', default: true };
    expect(mirroredCatalog({ catalogId: 1, name: 'A', isDefault: true })).toEqual({ ok: true, record: catalog });
  });

  it('D-38 ids that are numbers are read as their decimal text', () => {
    expect(mirroredCoil({ coilId: 4711, location: 12 })).toMatchObject({ record: { coilId: '4711', location: '12' } });
    expect(mirroredReasonCode({ id: 7, codeSet: 'OverrideReasons', reason: 'x' })).toMatchObject({
      record: { id: '7' },
    });
    expect(mirroredProfile({ ...LISTED_PROFILE, profileId: 900 })).toMatchObject({ record: { profileId: '900' } });
    const ids = {
      taskId: 1,
      selectedCoilId: 2,
      preferredCoilIds: [2, 'C-3'],
      overrideReason: 4,
      unattainableReason: 5,
    };
    expect(newsOf(ids).view).toMatchObject({
      taskId: '1',
      selectedCoilId: '2',
      preferredCoilIds: ['2', 'C-3'],
      overrideReason: '4',
      unattainableReason: '5',
    });
  });

  it.each([1.5, true, {}, 2 ** 53, null])('D-38 %j is no id', (coilId) => {
    expect(mirroredCoil({ coilId, location: 'X' })).toMatchObject({ ok: false, id: null });
  });

  it.each<readonly [string, () => object, object]>([
    ['no object', () => mirroredCoil('C-1'), { id: null, fault: 'no object' }],
    ['no id', () => mirroredCoil({ location: 'X' }), { id: null }],
    ['an id that no request names', () => mirroredCoil({ coilId: '..', location: 'X' }), { id: '..' }],
    ['a number as text', () => mirroredCoil({ ...coilOf('C-1'), gauge: '29' }), { id: 'C-1', fault: /gauge/ }],
    ['half a gauge', () => mirroredCoil({ ...coilOf('C-1'), gauge: 29.5 }), { id: 'C-1' }],
    ['an unknown state', () => mirroredTask({ ...LISTED, taskState: 'Lost' }), { id: 'T-1', fault: /taskState/ }],
    ['no coil type', () => mirroredTask({ ...LISTED, coilType: null }), { id: 'T-1', fault: /coilType/ }],
    [
      'half a coil type',
      () => mirroredTask({ ...LISTED, coilType: { gauge: 1 } }),
      { fault: /coilType\.coilTypeCode/ },
    ],
    ['a text that is not a date', () => mirroredTask({ ...LISTED, requiredDate: 'soon' }), { fault: /requiredDate/ }],
    ['an unknown category', () => mirroredLocation({ code: 'L', name: 'x', category: 'Moon' }), { id: 'L' }],
    ['a catalog by name', () => mirroredCatalog({ catalogId: 'A', name: 'A' }), { id: 'A' }],
    ['a profile that cannot be rolled', () => mirroredProfile({ profileId: 'P', owningCatalogId: 1 }), { id: 'P' }],
  ])('UP-07 are refused: %s', (_, read, { fault, ...expected }: { fault?: RegExp | string }) => {
    expect(read()).toMatchObject({
      ok: false,
      ...expected,
      ...(fault instanceof RegExp && { fault: expect.stringMatching(fault) }),
    });
  });
});

describe('a task', () => {
  it.each([
    ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00:00.123456Z', '2026-03-01T12:00:00.123456Z'],
    ['2026-03-01T12:00:00', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T12:00:00.5', '2026-03-01T12:00:00.500Z'],
    ['2026-03-01T12:00:00-06:00', '2026-03-01T18:00:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ])('UP-07 has its times in UTC with Z: %s', (given, kept) => {
    expect(newsOf({ requiredDate: given, startedDate: given }).view).toMatchObject({
      requiredDate: kept,
      startedDate: kept,
    });
  });

  it('UP-07 belongs to the machine at its machine side', () => {
    expect(machineSideOf(LISTED)).toBe('RF-01');
    expect(machineSideOf({ ...LISTED, taskType: 'MachineToWarehouse' })).toBe('WH-A1');
  });

  it('UP-07 keeps the fields that the server does not show, except those that a release clears', () => {
    const { userName, overrideReason, unattainableReason, ...shown } = LISTED;
    const existing = taskOf({
      taskState: 'InProcess',
      userName: 'ann',
      overrideReason: 'OR-1',
      unattainableReason: 'UR-1',
    });
    const read = (fields: object) => {
      const news = mirroredTask({ ...shown, ...fields });
      if (!news.ok) throw new Error(news.fault);
      return updatedTask(news.record, 'RF-01', existing);
    };
    expect(read({ taskState: 'InTransit' })).toMatchObject({ userName: 'ann', overrideReason: 'OR-1' });
    expect(read({ taskState: 'Ready' })).toMatchObject({
      userName: null,
      overrideReason: null,
      unattainableReason: 'UR-1',
    });
    expect(read({ taskState: 'Ready', userName: 'bob' })).toMatchObject({ userName: 'bob' });
  });

  it('D-14 D-18 takes a second operation as a repetition only while the result of the first one stands', () => {
    const existing = taskOf({ taskState: 'InProcess', userName: 'ann', lastOperation: '{"type":"inProcess"}' });
    const stamped = newsOf({ taskState: 'InProcess', userName: 'ann', startedDate: '2026-03-01T00:00:00Z' });
    expect(updatedTask(stamped, 'RF-01', existing).lastOperation).toBe(existing.lastOperation);
    expect(updatedTask(newsOf({ taskState: 'Ready' }), 'RF-01', existing).lastOperation).toBe(null);
    expect(updatedTask(newsOf({}), 'RF-01', null).lastOperation).toBe(null);
  });
});

describe('a profile', () => {
  const read = (fields: object = {}) => {
    const profile = mirroredProfile({ ...LISTED_PROFILE, ...fields });
    if (!profile.ok) throw new Error(profile.fault);
    return profile.record;
  };

  it('UP-07 is judged by the interface’s rules, with the stamps that the server gives', () => {
    expect(read()).toMatchObject({ revision: 1, blankWidth: 5, archived: false, createdBy: 'central server' });
    expect(read({ revision: 7, editedBy: 'ann' })).toMatchObject({ revision: 7, editedBy: 'ann' });
  });

  it('UP-07 is written if its content differs, and its revision here only grows', () => {
    const here = { ...read(), revision: 5 };
    expect(profileAfter(read({ revision: 4 }), here)).toBe(null);
    expect(profileAfter(read({ revision: 4, profileName: 'Other' }), here)).toMatchObject({
      revision: 6,
      profileName: 'Other',
    });
    expect(profileAfter(read({ revision: 9, profileName: 'Other' }), here)).toMatchObject({ revision: 9 });
    expect(profileAfter(read(), { ...here, archived: true })).toMatchObject({ revision: 6, archived: false });
    expect(profileAfter(read(), null)).toEqual(read());
  });
});
