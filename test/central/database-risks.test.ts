import { expect, it } from 'vitest';
import { examineDatabase } from '../../src/central/examine-database.ts';
import { risksOf } from '../../src/central/postgres/database-risks.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';

const SOUND = { version: 180_000, fsync: 'on', commit: 'on', names: '', standbys: 0 };

it.each([
  ['one server', {}, null],
  ['a synchronous standby', { names: 'standby', standbys: 1 }, null],
  ['PostgreSQL 14', { version: 140_012 }, 'found 140012, expected 150000 or more'],
  ['no fsync', { fsync: 'off' }, 'fsync: found off, expected on'],
  ['commits that do not wait', { commit: 'off' }, 'synchronous_commit: found off, expected on'],
  ['a standby that nobody waits for', { standbys: 1 }, 'synchronous_standby_names: found nothing'],
  [
    'commits that wait for the own disk alone',
    { names: 's', standbys: 1, commit: 'local' },
    'found local, expected on',
  ],
])('D-89 %s: what may lose acknowledged batches is named', (_, settings, expected) => {
  const risks = risksOf({ ...SOUND, ...settings });
  expect(risks).toEqual(expected === null ? [] : [expect.stringContaining(expected)]);
});

it('D-89 a database is examined: an asynchronous standby is a risk, and one that is away is told', async () => {
  const primary = await LocalPostgres.start({ isDurable: true });
  try {
    expect(await examineDatabase(primary.url(), 5_000)).toEqual({ kind: 'usable', isStandby: false, risks: [] });
    const standby = await LocalPostgres.standbyOf(primary);
    expect(await examineDatabase(standby.url(), 5_000)).toMatchObject({ isStandby: true });
    await standby.end();
    await primary.stop();
    expect(await examineDatabase(primary.url(), 5_000)).toMatchObject({
      kind: 'unusable',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  } finally {
    await primary.end();
  }
});
