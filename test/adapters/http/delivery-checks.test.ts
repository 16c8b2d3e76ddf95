import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from './gateway-under-test.ts';
import { type LibraryUnderTest, startLibrary } from './v1/warehouse-under-test.ts';

let library: LibraryUnderTest;
beforeAll(async () => {
  library = await startLibrary();
});
afterAll(() => library.close());

function explained(machineId: string, profileId: string) {
  const path = `/api/local/machines/${machineId}/delivery?profileId=${encodeURIComponent(profileId)}`;
  return library.as(keyOf('technician'), 'GET', path);
}

async function failing(machineId: string, profileId: string): Promise<readonly string[]> {
  const { body } = await explained(machineId, profileId);
  const { checks } = body as { readonly checks: readonly { readonly check: string; readonly holds: boolean }[] };
  return checks.filter(({ holds }) => !holds).map(({ check }) => check);
}

const FIRST = 'SN-01:reg:secret-1';

describe('SYNC-02 to SYNC-06 why a profile is not on a machine', () => {
  it('follows a profile until the machine has it', async () => {
    const { profileId } = await library.create({ profileName: 'Followed', owningCatalogId: 2 });
    expect(await failing('RF-01', profileId)).toEqual(['catalog', 'fetched']);
    await library.business('PUT', `/profiles/${profileId}`, {
      profileName: 'Followed',
      owningCatalogId: 1,
      features: [{ type: 'Straight', length: 2 }],
    });
    expect(await failing('RF-01', profileId)).toEqual(['fetched']);
    await library.fetch(FIRST);
    expect(await failing('RF-01', profileId)).toEqual([]);
    await library.setMachine('RF-01', { state: 'blocked' });
    expect(await failing('RF-01', profileId)).toEqual(['standing']);
    await library.setMachine('RF-01', { state: 'active' });
    await library.business('DELETE', `/profiles/${profileId}`);
    expect(await failing('RF-01', profileId)).toEqual(['fetched', 'archived']);
  });

  it('gives the values that each check looked at', async () => {
    const { profileId } = await library.create({ profileName: 'Told', owningCatalogId: 2 });
    expect((await explained('RF-02', profileId)).body).toMatchObject({
      profileId,
      machineId: 'RF-02',
      owningCatalogId: 2,
      catalogs: [2],
      lastFetchAt: null,
      hasSerialNumber: true,
      standing: 'active',
      archived: false,
      blankWidth: 4,
    });
  });

  it.each([
    ['an unknown machine', 'RF-99', 'x', 404, 'No machine with id "RF-99"'],
    ['an unknown profile', 'RF-01', 'x', 404, 'No profile with id "x"'],
    ['no profile', 'RF-01', '', 400, 'profileId: found nothing, expected a value'],
  ])('refuses %s', async (_, machineId, profileId, status, message) => {
    expect(await explained(machineId, profileId)).toMatchObject({ status, body: { errors: [message] } });
  });
});
