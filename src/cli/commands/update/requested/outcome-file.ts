import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseUpdateOutcome, type UpdateOutcome } from '../../../../domain/update/update-outcome.ts';
import { placeDir, placeFile } from '../../service/place-file.ts';

/** Writes the outcome of a requested update, as a whole. The user of the service reads it; only root writes there. */
export function writeOutcome(file: string, outcome: UpdateOutcome): void {
  placeDir(path.dirname(file), { mode: 0o755 });
  placeFile(file, `${JSON.stringify(outcome)}\n`, { mode: 0o644 });
}

/** Ends the outcome of a requested update that was interrupted. */
export function endOutcome(file: string, end: Pick<UpdateOutcome, 'result' | 'reason' | 'at'>): void {
  const before = existsSync(file) ? parseUpdateOutcome(readFileSync(file, 'utf8')) : null;
  if (before?.result === 'underWay') writeOutcome(file, { ...before, ...end });
}
