import { HOUR_MS, MINUTE_MS } from '../../time.ts';
import { isOlderVersion } from '../../update/update-header.ts';
import type { Contact } from '../contact.ts';
import type { UpdateReport } from './update-report.ts';

/** An update of a group's gateways, in steps (D-107). Times are wall-clock milliseconds. */
export interface RollOut {
  readonly groupId: string;
  readonly updateId: string;
  readonly archiveId: string;
  readonly version: string;
  readonly arch: string;
  readonly bytes: number;
  /** Gateways that get it before all others. */
  readonly canaries: readonly string[];
  /** Gateways that get it at a time after them. */
  readonly atOnce: number;
  readonly at: number;
  readonly who: string;
  readonly state: (typeof ROLL_OUT_STATES)[number];
  /** Why it has stopped; empty otherwise. */
  readonly why: string;
  /** Failures that a person has seen and passed over: gateways that do not stop it again. */
  readonly passed: readonly string[];
}

export const ROLL_OUT_STATES = ['running', 'stopped', 'done'] as const;

/** A gateway of the group. */
export interface UpdatedGateway {
  readonly gatewayId: string;
  readonly contact: Contact;
  /** Null: it has told nothing yet. */
  readonly version: string | null;
  readonly report: UpdateReport | null;
  /** When it was given the update; null: not yet. */
  readonly releasedAt: number | null;
}

/**
 * `waiting` for its step; `away`: not heard, or has told nothing of updates, and not given it yet; `taking`: it fetches or installs it; `settling`: it runs
 * it, but not for long; `done`; `failed`: refused, rolled back, or silent for too long after it was given it; `unable`: its
 * updates come another way; `other`: the archive is for another architecture.
 */
export const UPDATE_STANDINGS = ['waiting', 'away', 'taking', 'settling', 'done', 'failed', 'unable', 'other'] as const;
export type UpdateStanding = (typeof UPDATE_STANDINGS)[number];

/** A gateway has the new version for good when it has run it for so long. */
export const SETTLE_MS = 10 * MINUTE_MS;
/** A gateway that was given the update and is not heard for so long has failed. */
export const MAX_SILENCE_MS = 30 * MINUTE_MS;
/** A gateway that was given the update and does not run it after so long has failed; a slow line takes hours. */
export const MAX_TAKING_MS = 24 * HOUR_MS;

interface Judged {
  readonly standing: UpdateStanding;
  /** Of `failed`. */
  readonly why: string;
}

const plain = (standing: UpdateStanding): Judged => ({ standing, why: '' });

/** Where a gateway stands, and why if it has failed. */
export function updateStanding(
  rollOut: Pick<RollOut, 'updateId' | 'version' | 'arch'>,
  gateway: UpdatedGateway,
  now: number,
): Judged {
  const { version, releasedAt } = gateway;
  const isThere = version === rollOut.version || (version !== null && isOlderVersion(rollOut.version, version));
  if (releasedAt === null) return isThere ? plain('done') : beforeItsTurn(rollOut, gateway);
  const { taken = null, upForMs = 0 } = gateway.report ?? {};
  if (isThere) {
    const isSettled = gateway.contact.state === 'live' && upForMs >= SETTLE_MS;
    return isSettled ? plain('done') : (tooSilent(gateway.contact) ?? plain('settling'));
  }
  if (taken?.updateId === rollOut.updateId && taken.state === 'failed') {
    return { standing: 'failed', why: taken.reason };
  }
  if (now - releasedAt > MAX_TAKING_MS) return { standing: 'failed', why: 'it did not take it in time' };
  return tooSilent(gateway.contact) ?? plain('taking');
}

function beforeItsTurn({ arch }: Pick<RollOut, 'arch'>, { contact, report }: UpdatedGateway): Judged {
  // A gateway that has just started has told nothing yet.
  if (contact.state !== 'live' || report === null) return plain('away');
  if (report.obstacle !== null) return plain('unable');
  return plain(report.arch === arch ? 'waiting' : 'other');
}

function tooSilent(contact: Contact): Judged | null {
  if (contact.state !== 'silent' || contact.forMs <= MAX_SILENCE_MS) return null;
  return { standing: 'failed', why: 'it is not heard any more' };
}

/** Why a roll-out has stopped, for people: the gateway that failed, and why. */
function stopReason(gatewayId: string, why: string): string {
  return `${gatewayId}: ${why}`;
}

/** The reason for a person who may not know of some gateways: empty if it names one of these. */
export function shownStopReason(why: string, hiddenIds: readonly string[]): string {
  return hiddenIds.some((gatewayId) => why.startsWith(stopReason(gatewayId, ''))) ? '' : why;
}

/** The next step of a roll-out: gateways that are given the update now, or its end. */
export interface NextStep {
  readonly release: readonly string[];
  readonly end:
    | { readonly state: 'stopped'; readonly gatewayId: string; readonly why: string }
    | { readonly state: 'done'; readonly why: '' }
    | null;
}

const STAY: NextStep = { release: [], end: null };

/**
 * The next gateways come only when all that were given the update have settled; canaries come first, and are waited for
 * even if they are away. It stops when one fails.
 */
export function nextStep(rollOut: RollOut, gateways: readonly UpdatedGateway[], now: number): NextStep {
  const judged = gateways.map((gateway) => ({ ...gateway, ...updateStanding(rollOut, gateway, now) }));
  const failed = judged.find(({ gatewayId, standing }) => standing === 'failed' && !rollOut.passed.includes(gatewayId));
  if (failed !== undefined) {
    const { gatewayId, why } = failed;
    return { release: [], end: { state: 'stopped', gatewayId, why: stopReason(gatewayId, why) } };
  }
  const are = (...standings: readonly UpdateStanding[]) =>
    judged.filter(({ standing }) => standings.includes(standing));
  if (are('taking', 'settling').length > 0) return STAY;
  if (are('waiting', 'away').length === 0) return { release: [], end: { state: 'done', why: '' } };
  const waiting = are('waiting').map(({ gatewayId }) => gatewayId);
  const isCanary = (gatewayId: string) => rollOut.canaries.includes(gatewayId);
  const areCanariesLeft = are('waiting', 'away').some(({ gatewayId }) => isCanary(gatewayId));
  if (areCanariesLeft) return { release: waiting.filter(isCanary), end: null };
  return { release: waiting.slice(0, rollOut.atOnce), end: null };
}
