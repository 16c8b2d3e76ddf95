import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { newestBackup } from '../../../domain/backup/newest-backup.ts';
import type { BackupView } from '../../../flows/backup/backup-ports.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { now } from '../../show/clock.ts';
import { age, dateAndTime, number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { LogLevelField } from './log-level.tsx';
import { Support } from './support.tsx';
import { Update } from './update/update.tsx';

const MEGABYTE = 1_000_000;
/** A large database is copied and verified for minutes. */
const PATIENCE_MS = 15 * 60_000;

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
    const outcome = await call<BackupView>('POST', '/backups', undefined, PATIENCE_MS);
    isTaking.value = false;
    if (isDone(outcome)) showToast({ text: words.value.admin.backupTaken, more: '', isRefusal: false, undo: null });
    // Without an answer the list shows whether it was taken.
    await load();
  };
  const { admin: said } = words.value;
  if (backups.value === null) return null;
  const newest = newestBackup(backups.value, now.value);
  return (
    <>
      <section class="verdict" aria-label={said.takeBackup}>
        <Icon name={newest === undefined ? 'warn-line' : 'check-ring'} />
        <div class="grow">
          {newest === undefined ? said.noBackup : said.lastBackup(age(now.value - Date.parse(newest.takenAt)))}
          <br />
          <span class="dim normal small">{newest === undefined ? said.noBackupHint : said.backupVerified}</span>
        </div>
        <button type="button" class="btn btn-main btn-start" disabled={isTaking.value} onClick={() => void take()}>
          {isTaking.value ? said.takingBackup : said.takeBackup}
        </button>
      </section>
      {backups.value.length > 0 && <BackupTable backups={backups.value} />}
      <p class="dim">
        {said.restoreHint} <code>plantgate restore FILE</code>
      </p>
      <Support />
      <Update />
      <LogLevelField />
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
