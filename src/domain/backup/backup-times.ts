/** The times of backups as a cron expression: `storage.backups.at` is one, or a time of day as `HH:MM`. */
export function cronOf(at: string): string {
  const [hour, minute] = at.split(':').map(Number);
  return minute === undefined ? at : `${minute} ${hour} * * *`;
}

/**
 * Finds the newest backup by the times of the backups (ISO 8601). Gives undefined if no backup counts. A backup with a
 * later time than now does not count, because its clock was wrong (D-49).
 */
export function newestBackup<Backup extends { readonly takenAt: string }>(
  backups: readonly Backup[],
  nowMs: number,
): Backup | undefined {
  return backups
    .filter(({ takenAt }) => Date.parse(takenAt) <= nowMs)
    .sort((one, other) => Date.parse(other.takenAt) - Date.parse(one.takenAt))[0];
}
