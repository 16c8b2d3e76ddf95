import type { Postgres } from './postgres.ts';

/** PostgreSQL before 15 lacks what the views and statements need. */
const OLDEST_VERSION = 150_000;

interface Settings {
  readonly version: number;
  readonly fsync: string;
  readonly commit: string;
  readonly names: string;
  readonly standbys: number;
}

const SETTINGS = `
  SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
    current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS names,
    (SELECT count(*) FROM pg_stat_replication) AS standbys`;

/**
 * Settings of the database by which it may lose a batch that was acknowledged, and that its gateway has therefore deleted,
 * each with the remedy. Empty: none.
 */
export async function databaseRisks(postgres: Postgres): Promise<readonly string[]> {
  const [settings] = await postgres.query<Settings>(SETTINGS);
  return settings === undefined ? [] : risksOf(settings);
}

export function risksOf({ version, fsync, commit, names, standbys }: Settings): readonly string[] {
  const risks: string[] = [];
  if (version < OLDEST_VERSION) {
    risks.push(`server_version_num: found ${version}, expected ${OLDEST_VERSION} or more: update PostgreSQL`);
  }
  if (fsync === 'off') {
    risks.push('fsync: found off, expected on: a power cut may destroy the database');
  }
  if (commit === 'off') {
    risks.push('synchronous_commit: found off, expected on: a power cut loses batches that were acknowledged');
  }
  if (standbys > 0 && (names === '' || commit === 'local')) {
    const setting = names === '' ? 'synchronous_standby_names: found nothing' : 'synchronous_commit: found local';
    const expected = names === '' ? 'the standby' : 'on or remote_apply';
    risks.push(`${setting}, expected ${expected}: a standby that takes over may lack batches that were acknowledged`);
  }
  return risks;
}
