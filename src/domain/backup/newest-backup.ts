/**
 * The newest of some backups, by their times (ISO 8601); undefined if there is none. A backup with a later time than now
 * comes from a clock that was wrong, and does not count (D-49).
 */
export function newestBackup<Backup extends { readonly takenAt: string }>(
  backups: readonly Backup[],
  nowMs: number,
): Backup | undefined {
  return backups
    .filter(({ takenAt }) => Date.parse(takenAt) <= nowMs)
    .toSorted((one, other) => Date.parse(other.takenAt) - Date.parse(one.takenAt))[0];
}
