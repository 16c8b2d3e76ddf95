import type { AgentRefusal } from '../../domain/warehouse/refusals.ts';
import type { LegacyAgent, LegacyLocation, LegacyWrite } from './warehouse-ports.ts';

/** The outcome of a write in the legacy system; `undone` means that nothing was done, and nothing will be. */
export type LegacyVerdict = { readonly kind: 'applied' | 'undone' } | ({ readonly kind: 'rejected' } & AgentRefusal);

/** A write whose outcome is not known. */
export interface UnconfirmedWrite {
  readonly write: LegacyWrite;
  /** The agent answered the only copy that was sent with a failure. */
  readonly hasFailed: boolean;
}

/**
 * Finds the outcome of an unconfirmed write (D-16); null while it cannot be known. The agent may have applied it and lost
 * the answer, may never have got it, or may still be working on it and apply it after any read of now. So:
 *
 * - The coil lies at the new place and, by our record, lay elsewhere before: the only request for this move was carried
 *   out, and no copy of it can still come. Applied.
 * - The coil lies elsewhere, and the agent answered the only copy with a failure: no copy can still come. Undone.
 * - Else the coil lies elsewhere, or lay at that place before: reading proves nothing. The sent request may still be
 *   carried out, even later than our next write, and the two systems would differ for good. A conclusion from a read
 *   would be a guess. So the same write is sent again under the same operationId, which the agent answers like the
 *   first time and carries out once (contract.md, Legacy agent). A yes settles the write: later copies are repetitions.
 *   So does a no, unless the coil lies at the new place by then: the first copy had been carried out, and the no belongs
 *   to the second.
 * - No answer: still unconfirmed. Nothing else is written of that coil or task until there is one.
 *
 * So in the end the write is carried out in both systems or in neither, in any order of the copies.
 *
 * An agent that knows tasks looks at the write's task instead: a task in the state that the write was to give it proves
 * the same, even if the coil lay at that place before.
 */
export async function settleLegacyWrite(
  { write, hasFailed }: UnconfirmedWrite,
  agent: LegacyAgent,
): Promise<LegacyVerdict | null> {
  const before = await agent.locate(write.coilId, write);
  if (before.kind === 'unreachable') return null;
  if (isProof(before, write)) return { kind: 'applied' };
  if (hasFailed && wasElsewhere(write)) return { kind: 'undone' };
  const outcome = await agent.move(write);
  if (outcome.kind === 'applied') return outcome;
  if (outcome.kind !== 'rejected') return null;
  if (before.kind === 'at' && !wasElsewhere(write)) return outcome;
  const after = await agent.locate(write.coilId, write);
  if (after.kind === 'unreachable') return null;
  return isProof(after, write) ? { kind: 'applied' } : outcome;
}

function isProof(seen: LegacyLocation, write: LegacyWrite): boolean {
  return seen.kind === 'carriedOut' || (seen.kind === 'at' && wasElsewhere(write) && seen.location === write.location);
}

function wasElsewhere({ previousLocation, location }: LegacyWrite): boolean {
  return previousLocation !== location;
}
