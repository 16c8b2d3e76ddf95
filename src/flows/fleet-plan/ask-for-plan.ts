import { CodedError, type Fault } from '../../domain/error.ts';
import { EMPTY_SEALED, type TargetPlan } from '../../domain/fleet/plan/fleet-plan.ts';
import { isJsonObject, parseJsonObject } from '../../domain/json/json.ts';
import { SYNC_PATH } from '../forward/discover-server.ts';
import type { CentralAnswer, CentralServer } from '../forward/upstream-ports.ts';
import { readSealedPlan, type SealedShapes } from './read-plan.ts';

/** Two plans with their hashes. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** A plan that was fetched; with faults it has no records. */
export interface FollowedPlan extends TargetPlan {
  readonly faults: readonly Fault[];
}

/** What this gateway has to apply, and what it has to compare itself with. */
export interface FollowedTarget {
  /** Null: it is in no group. */
  readonly groupId: string | null;
  readonly rollOut: FollowedPlan | null;
  readonly preview: FollowedPlan | null;
  /** The update that it is given (D-107). */
  readonly update: { readonly updateId: string; readonly version: string; readonly bytes: number } | null;
}

/** `none`: no answer that says anything; `unknown`: the server knows no plans; `same`: nothing is new. */
type AskedPlan =
  | { readonly kind: 'none' | 'unknown' | 'same' }
  | { readonly kind: 'target'; readonly target: FollowedTarget; readonly tag: string | null };

interface Asker {
  readonly gatewayId: string;
  readonly stream: string;
  /** The ETag of the newest answer. */
  readonly tag: string | null;
}

/** Asks the central server for the plan of this gateway's group (contract.md, Upstream). */
export async function askForPlan(
  server: Pick<CentralServer, 'ask'>,
  { gatewayId, stream, tag }: Asker,
  shapes: SealedShapes,
): Promise<AskedPlan> {
  const path = `${SYNC_PATH}/plan?${new URLSearchParams({ gatewayId, stream })}`;
  const headers: Record<string, string> = tag === null ? {} : { 'if-none-match': tag };
  const answer = await server.ask({ method: 'GET', path, headers, maxAnswerBytes: MAX_ANSWER_BYTES });
  if (answer.kind !== 'answered') return { kind: 'none' };
  if (answer.status === 304) return { kind: 'same' };
  if (answer.status === 404 || answer.status === 405) return { kind: 'unknown' };
  const target = answer.status === 200 && answer.extent === 'whole' ? await targetIn(answer, shapes) : null;
  if (target === null) return { kind: 'none' };
  const { etag } = answer.headers;
  return { kind: 'target', target, tag: typeof etag === 'string' ? etag : null };
}

async function targetIn(
  { bytes }: Extract<CentralAnswer, { kind: 'answered' }>,
  shapes: SealedShapes,
): Promise<FollowedTarget | null> {
  const { groupId, rollOut, preview, update } = parseJsonObject(bytes.toString('utf8')) ?? {};
  if (typeof groupId !== 'string' && groupId !== null) return null;
  return {
    groupId,
    rollOut: await planIn(rollOut, shapes),
    preview: await planIn(preview, shapes),
    update: updateIn(update),
  };
}

async function planIn(value: unknown, shapes: SealedShapes): Promise<FollowedPlan | null> {
  if (!isJsonObject(value)) return null;
  const { version, overwrite, plan } = value;
  if (typeof version !== 'number') return null;
  const head = { version, overwrite: overwrite === true };
  try {
    return { ...head, plan: await readSealedPlan(plan, shapes), faults: [] };
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'invalid-input') throw error;
    return { ...head, plan: EMPTY_SEALED, faults: error.faults };
  }
}

function updateIn(value: unknown): FollowedTarget['update'] {
  if (!isJsonObject(value)) return null;
  const { updateId, version, bytes } = value;
  if (typeof updateId !== 'string' || typeof version !== 'string' || typeof bytes !== 'number') return null;
  return { updateId, version, bytes };
}
