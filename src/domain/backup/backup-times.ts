/** The times of backups as a cron expression: `storage.backups.at` is one, or a time of day as `HH:MM`. */
export function cronOf(at: string): string {
  const [hour, minute] = at.split(':').map(Number);
  return minute === undefined ? at : `${minute} ${hour} * * *`;
}
