import path from 'node:path';
import { CodedError } from '../../../../domain/error.ts';
import { REQUESTED_UPDATE } from '../../../../domain/update/update-outcome.ts';
import type { UpdateParts } from '../update-parts.ts';
import { writeOutcome } from './outcome-file.ts';
import { takeRequest } from './take-request.ts';

/**
 * Takes a request away that cannot be carried out, and tells the gateway the reason. A request that stayed would start
 * the unit again and again, until systemd gives it up for all later requests too.
 */
export async function refuseRequest(
  reason: string,
  { dataDir, places, present, now }: Pick<UpdateParts, 'dataDir' | 'places' | 'present' | 'now'>,
): Promise<void> {
  const opened = await takeRequest(path.join(dataDir, REQUESTED_UPDATE)).catch(nothingOpen);
  if (opened === null) return;
  await opened?.close();
  writeOutcome(places.outcome, { result: 'refused', from: present.version, to: null, reason, at: now().toISOString() });
}

/** A request that is no plain file has lost its name as well, and nothing is open. Other faults are thrown on. */
function nothingOpen(error: unknown): undefined {
  if (error instanceof CodedError && error.code === 'invalid-input') return undefined;
  throw error;
}
