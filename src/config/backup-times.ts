import { type CronFieldError, createTask, validateDetailed } from 'node-cron';
import { cronOf } from '../domain/backup/backup-times.ts';

export const BACKUP_TIMES_RULE = 'a time of day as "HH:MM", or a cron expression with one minute, as "47 2 * * 1-5"';

/** The form. One minute: backups that follow each other by minutes would soon be all that are kept. */
export const BACKUP_TIMES_PATTERN = '^(?!.*\\d{3})(?:(?:[01]\\d|2[0-3]):[0-5]\\d|\\d{1,2}(?: [\\dA-Za-z*/,#?-]+){4})$';

const FIELD_NAMES: Readonly<Record<string, string>> = {
  minute: 'minute',
  hour: 'hour',
  dayOfMonth: 'day of the month',
  month: 'month',
  dayOfWeek: 'day of the week',
};

/** The rule that times of the right form break; null if they can be used. */
export function backupTimesExpected(at: string): string | null {
  const cron = cronOf(at);
  const [error] = validateDetailed(cron).errors;
  if (error !== undefined) return `${BACKUP_TIMES_RULE}; ${whatIsWrong(error)}`;
  return hasNext(cron) ? null : 'times that come: no day is like that';
}

function whatIsWrong({ field, value }: CronFieldError): string {
  const name = FIELD_NAMES[field];
  return name === undefined ? 'it has another number of fields' : `"${value}" is no ${name}`;
}

/** node-cron looks for a century, which takes it 50 ms. */
function hasNext(cron: string): boolean {
  const task = createTask(cron, () => undefined);
  try {
    return task.getNextRuns(1).length > 0;
  } catch {
    return false;
  } finally {
    void task.destroy();
  }
}
