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
  /** Gateways that a person has passed over: they failed, or could not try it first, and do not stop it again. */
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

/** Reasons for which it stops, in words. The page has them in other languages. */
export const STOP_REASONS = {
  late: 'it did not take it in time',
  silent: 'it is not heard any more',
  untried: 'it was to get it first and cannot take it, and no other gateway that was to get it first can',
  nobody: 'no gateway of the group has it or can take it',
} as const;

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
  if (now - releasedAt > MAX_TAKING_MS) return { standing: 'failed', why: STOP_REASONS.late };
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
  return { standing: 'failed', why: STOP_REASONS.silent };
}

/** Why a roll-out has stopped, for people: the gateway that failed, and why. */
function stopReason(gatewayId: string, why: string): string {
  return `${gatewayId}: ${why}`;
}

/** The reason for a person who may not know of some gateways: empty if it names one of these. */
export function shownStopReason(why: string, hiddenIds: readonly string[]): string {
  return hiddenIds.some((gatewayId) => why.startsWith(stopReason(gatewayId, ''))) ? '' : why;
}

/** Why a gateway of the group cannot be the first that runs this version, for people; null: it can. */
export function whyNotFirst(rollOut: Pick<RollOut, 'version'>, gateway: UpdatedGateway & Judged): string | null {
  const { standing, version, report } = gateway;
  if (standing === 'unable')
    return report?.obstacle === 'package' ? 'a package updates it' : 'nothing installs updates there';
  if (standing === 'other') return `its architecture is ${report?.arch ?? 'another one'}`;
  if (standing === 'failed') return gateway.why;
  return standing === 'done' && version !== rollOut.version ? `it runs ${version}` : null;
}

/** Whether no gateway of a group has an update or can take it. */
export function isForNobody(gateways: readonly Judged[]): boolean {
  return gateways.every(({ standing }) => ['unable', 'other', 'failed'].includes(standing));
}

/** The gateways that a person passes over who goes on: those that failed, and canaries that cannot try it where it has stopped by itself. */
export function passedOver(rollOut: RollOut, gateways: readonly (UpdatedGateway & Judged)[]): readonly string[] {
  const failed = gateways.flatMap(({ gatewayId, standing }) => (standing === 'failed' ? [gatewayId] : []));
  if (rollOut.why === '') return failed;
  const able = gateways.filter((gateway) => whyNotFirst(rollOut, gateway) === null).map(({ gatewayId }) => gatewayId);
  return [...failed, ...rollOut.canaries.filter((gatewayId) => !able.includes(gatewayId))];
}

/**
 * Whether the gateways after the canaries may have it: a canary has run this very version for long enough, or a person
 * went on without. `untried`: none can.
 */
function trialOf(
  { version, canaries, passed }: RollOut,
  gateways: readonly UpdatedGateway[],
): 'over' | 'under way' | 'untried' {
  if (canaries.every((gatewayId) => passed.includes(gatewayId))) return 'over';
  // It was over before; what became of the canaries since does not matter.
  if (gateways.some(({ gatewayId, releasedAt }) => releasedAt !== null && !canaries.includes(gatewayId))) return 'over';
  const running = gateways.filter((gateway) => canaries.includes(gateway.gatewayId) && gateway.version === version);
  if (running.some(({ report }) => (report?.upForMs ?? 0) >= SETTLE_MS)) return 'over';
  return running.length > 0 ? 'under way' : 'untried';
}

/** The next step of a roll-out: gateways that are given the update now, or its end. */
export interface NextStep {
  readonly release: readonly string[];
  /** `gatewayId` null: it has stopped because of no single gateway. */
  readonly end:
    | { readonly state: 'stopped'; readonly gatewayId: string | null; readonly why: string }
    | { readonly state: 'done'; readonly why: '' }
    | null;
}

const STAY: NextStep = { release: [], end: null };

function stopped(gatewayId: string, why: string): NextStep {
  return { release: [], end: { state: 'stopped', gatewayId, why: stopReason(gatewayId, why) } };
}

/**
 * The next gateways come only when all that were given the update have settled; canaries come first, and are waited for
 * even if they are away. It stops when one fails, and when none of the canaries can try it.
 */
export function nextStep(rollOut: RollOut, gateways: readonly UpdatedGateway[], now: number): NextStep {
  const { canaries, passed, atOnce } = rollOut;
  const judged = gateways.map((gateway) => ({ ...gateway, ...updateStanding(rollOut, gateway, now) }));
  const failed = judged.find(({ gatewayId, standing }) => standing === 'failed' && !passed.includes(gatewayId));
  if (failed !== undefined) return stopped(failed.gatewayId, failed.why);
  const are = (...standings: readonly UpdateStanding[]) =>
    judged.filter(({ standing }) => standings.includes(standing)).map(({ gatewayId }) => gatewayId);
  if (are('taking', 'settling').length > 0) return STAY;
  if (isForNobody(judged)) {
    return { release: [], end: { state: 'stopped', gatewayId: null, why: STOP_REASONS.nobody } };
  }
  if (are('waiting', 'away').length === 0) return { release: [], end: { state: 'done', why: '' } };
  const waiting = are('waiting');
  const isCanary = (gatewayId: string) => canaries.includes(gatewayId);
  if (are('waiting', 'away').some(isCanary)) return { release: waiting.filter(isCanary), end: null };
  const trial = trialOf(rollOut, gateways);
  if (trial === 'under way') return STAY;
  if (trial === 'untried')
    return stopped(canaries.find((gatewayId) => !passed.includes(gatewayId)) ?? '', STOP_REASONS.untried);
  return { release: waiting.slice(0, atOnce), end: null };
}
