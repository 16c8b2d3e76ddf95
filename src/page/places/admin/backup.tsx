import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { newestBackup } from '../../../domain/backup/backup-times.ts';
import { LOG_LEVELS, type LogLevel } from '../../../domain/log-level.ts';
import type { BackupView } from '../../../flows/backup/backup-ports.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { hasOwnRecords, isForAllPlants } from '../../people/who.ts';
import { now } from '../../show/clock.ts';
import { age, dateAndTime, number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { Update } from './update/update.tsx';

const MEGABYTE = 1_000_000;
/** A large database is copied and verified for minutes. */
const BACKUP_TIMEOUT_MS = 15 * 60_000;

/** Backups of all state. One that fails its verification is not kept, so every listed backup is verified. */
export function Backup() {
  const backups = useSignal<readonly BackupView[] | null>(null);
  const isTaking = useSignal(false);
  const load = async () => {
    const outcome = await call<readonly BackupView[]>('GET', '/backups');
    if (isDone(outcome)) backups.value = outcome.value;
  };
  useEffect(() => void load(), []);
  const take = async () => {
    isTaking.value = true;
    const outcome = await call<BackupView>('POST', '/backups', undefined, BACKUP_TIMEOUT_MS);
    isTaking.value = false;
    if (isDone(outcome)) showDone(words.value.admin.backupTaken);
    // Without an answer the list shows whether it was taken.
    await load();
  };
  const { admin: texts } = words.value;
  if (backups.value === null) return null;
  const newest = newestBackup(backups.value, now.value);
  return (
    <>
      <section class="verdict" aria-label={texts.takeBackup}>
        <Icon name={newest === undefined ? 'warn-line' : 'check-ring'} />
        <div class="grow">
          {newest === undefined ? texts.noBackup : texts.lastBackup(age(now.value - Date.parse(newest.takenAt)))}
          <br />
          <span class="dim normal small">{newest === undefined ? texts.noBackupHint : texts.backupVerified}</span>
        </div>
        {hasOwnRecords() && (
          <button type="button" class="btn btn-main btn-start" disabled={isTaking.value} onClick={() => void take()}>
            {isTaking.value ? texts.takingBackup : texts.takeBackup}
          </button>
        )}
      </section>
      {backups.value.length > 0 && <BackupTable backups={backups.value} />}
      <p class="dim">
        {texts.restoreHint} <code>plantgate restore FILE</code>
      </p>
      {isForAllPlants() && (
        <>
          <Support />
          <Update />
          <LogLevelField />
        </>
      )}
    </>
  );
}

function BackupTable({ backups }: { readonly backups: readonly BackupView[] }) {
  return (
    <ScrollSection label={words.value.admin.tabs.backup} class="pane flush">
      <table class="table">
        <tbody>
          {backups.map(({ file, takenAt, bytes }) => (
            <tr key={file}>
              <td class="num">{dateAndTime(takenAt)}</td>
              <td class="num">{`${number(bytes / MEGABYTE, 1)} MB`}</td>
              <td>
                <code>{file}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

interface Answer {
  readonly level: LogLevel;
}

/** The choice of the log level, for a person who looks for a fault. It counts until the next start. */
function LogLevelField() {
  const level = useSignal<LogLevel | null>(null);
  const ask = async (method: 'GET' | 'PUT', body?: Answer) => {
    const outcome = await call<Answer>(method, '/log-level', body);
    if (!isDone(outcome)) return false;
    level.value = outcome.value.level;
    return true;
  };
  const choose = async (field: HTMLSelectElement) => {
    const chosen = LOG_LEVELS.find((one) => one === field.value);
    // After a refusal the field shows the level that counts.
    if (chosen !== undefined && !(await ask('PUT', { level: chosen }))) field.value = level.value ?? '';
  };
  useEffect(() => void ask('GET'), []);
  const { admin: texts } = words.value;
  if (level.value === null) return null;
  return (
    <div class="field">
      <label for="log-level">{texts.logLevel}</label>
      <select id="log-level" value={level.value} onChange={({ currentTarget }) => void choose(currentTarget)}>
        {LOG_LEVELS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <span class="hint">{texts.logLevelHint}</span>
    </div>
  );
}

/** The gateway waits for its log and for other servers. */
const SUPPORT_TIMEOUT_MS = 3 * 60_000;

/** The support bundle: a file for a person who helps from elsewhere. */
function Support() {
  const isMaking = useSignal(false);
  const make = async () => {
    isMaking.value = true;
    const outcome = await call('POST', '/support-bundle', undefined, SUPPORT_TIMEOUT_MS);
    isMaking.value = false;
    if (!isDone(outcome)) return;
    const { bundleMade, bundleMadeHint } = words.value.admin;
    showDone(bundleMade, bundleMadeHint);
  };
  const { admin: texts } = words.value;
  return (
    <section class="verdict" aria-label={texts.bundle}>
      <Icon name="download" />
      <div class="grow">
        {texts.bundle}
        <br />
        <span class="dim normal small">{texts.bundleHint}</span>
      </div>
      <button type="button" class="btn btn-start" disabled={isMaking.value} onClick={() => void make()}>
        {isMaking.value ? texts.makingBundle : texts.makeBundle}
      </button>
    </section>
  );
}
