import { describe, expect, it, vi } from 'vitest';
import { central, drained, entityQueues, incidents, profile, queue, useLanes } from '../lanes-under-test.ts';

useLanes();

describe('a profile that had its name at a server with another address', () => {
  const THEIRS = { profileId: 'up-1', profileName: 'theirs', createdDate: '2026-01-02T03:04:05Z', revision: 1 };

  async function changed(createdAt: number | null): Promise<void> {
    central.plant.profiles.set('up-1', { ...THEIRS });
    queue.names.set('P-1', { upstreamId: 'up-1', createdAt, isElsewhere: true });
    queue.act(profile('P-1', 'ours', 2));
    await drained();
  }

  it.each([null, Date.parse('2026-01-02T03:04:06Z')])(
    'D-30 leave a record with its name alone that was not made at %s, and create the profile again',
    async (createdAt) => {
      await changed(createdAt);
      expect(central.plant.profiles.get('up-1')).toEqual(THEIRS);
      expect([...central.plant.profiles.values()].map(({ profileName }) => profileName)).toEqual(['theirs', 'ours']);
      expect(queue.names.get('P-1')).toMatchObject({ isElsewhere: false, createdAt: expect.any(Number) });
      expect(queue.names.get('P-1')?.upstreamId).not.toBe('up-1');
    },
  );

  it('D-30 find the profile if the creation time is the same: the server has moved', async () => {
    await changed(Date.parse(THEIRS.createdDate));
    expect([...central.plant.profiles.values()]).toMatchObject([{ profileId: 'up-1', profileName: 'ours' }]);
    expect(queue.names.get('P-1')).toMatchObject({ upstreamId: 'up-1', isElsewhere: false });
  });

  it('D-30 find the profile by its creation time with any number of digits', async () => {
    central.plant.profiles.set('up-1', { ...THEIRS, createdDate: THEIRS.createdDate.replace('Z', '.0000000Z') });
    queue.names.set('P-1', { upstreamId: 'up-1', createdAt: Date.parse(THEIRS.createdDate), isElsewhere: true });
    queue.act(profile('P-1', 'ours', 2));
    await drained();
    expect([...central.plant.profiles.values()]).toMatchObject([{ profileId: 'up-1', profileName: 'ours' }]);
  });

  it('D-30 create the profile again if the server does not know the name', async () => {
    central.manner = (method, path) => (method === 'GET' && path.includes('up-1') ? 'rejects' : 'works');
    await changed(Date.parse(THEIRS.createdDate));
    expect([...central.plant.profiles.values()].map(({ profileName }) => profileName)).toEqual(['theirs', 'ours']);
  });

  it('D-30 UP-05 are set aside if the server refuses to show the record with the name', async () => {
    central.manner = (method, path) => (method === 'GET' && path.includes('up-1') ? 'forbids' : 'works');
    central.plant.profiles.set('up-1', { ...THEIRS });
    queue.names.set('P-1', { upstreamId: 'up-1', createdAt: 1, isElsewhere: true });
    queue.act(profile('P-1', 'ours', 2));
    entityQueues.start();
    await vi.waitFor(() => expect(queue.setAside).toMatchObject([{ entity: 'profile:P-1' }]));
    expect([...central.plant.profiles.values()]).toEqual([THEIRS]);
  });

  it.each(['fails', 'talksNonsense', 'truncates'] as const)(
    'D-30 create nothing if the server %s instead of showing the record with the name',
    async (manner) => {
      central.manner = (method, path) => (method === 'GET' && path.includes('up-1') ? manner : 'works');
      central.plant.profiles.set('up-1', { ...THEIRS });
      queue.names.set('P-1', { upstreamId: 'up-1', createdAt: 1, isElsewhere: true });
      queue.act(profile('P-1', 'ours', 2));
      entityQueues.start();
      await vi.waitFor(() => expect(incidents).toHaveLength(1));
      expect(queue.rows).toHaveLength(1);
      expect([...central.plant.profiles.values()]).toEqual([THEIRS]);
    },
  );
});
