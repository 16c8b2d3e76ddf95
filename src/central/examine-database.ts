import { errorMessage } from '../domain/error-text.ts';
import type { Log } from '../flows/ports.ts';
import { DatabaseClock } from './postgres/database-clock.ts';
import { databaseRisks } from './postgres/database-risks.ts';
import { Postgres } from './postgres/postgres.ts';

/** What `plantgate doctor` finds of a database: why it cannot be used, or by which settings it may lose data and how far its clock is off. */
export type DatabaseFinding =
  | { readonly kind: 'unusable'; readonly detail: string }
  | { readonly kind: 'usable'; readonly isStandby: boolean; readonly risks: readonly string[] };

const SILENT: Log = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };

/** Looks at a database and changes nothing. */
export async function examineDatabase(url: string, answerWithinMs: number): Promise<DatabaseFinding> {
  const clock = new DatabaseClock({ now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) });
  const postgres = new Postgres({ url, maxConnections: 1, answerWithinMs, log: SILENT });
  try {
    const isStandby = await clock.compare(postgres);
    return { kind: 'usable', isStandby, risks: [...(await databaseRisks(postgres)), ...clock.risks] };
  } catch (error) {
    return { kind: 'unusable', detail: errorMessage(error) };
  } finally {
    await postgres.close();
  }
}
