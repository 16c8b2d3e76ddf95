import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts';
import { isOlderVersion } from '../update/update-header.ts';
import type { Contact } from './contact.ts';
import { clockError, type GatewayHealth } from './gateway-health.ts';

/** Everything that may be wrong at a gateway that sends here, the worst first. */
export const TROUBLE_KINDS = [
  'silent',
  'disk',
  'clock',
  'queue',
  'setAside',
  'backup',
  'certificate',
  'version',
] as const;
export type TroubleKind = (typeof TROUBLE_KINDS)[number];

/**
 * The limits beyond which it is trouble, for the list, incidents and metrics; rules of alerts have limits of their own.
 * The limit of the disk is that of the gateway's own rule.
 */
export const TROUBLE_LIMITS = {
  /** A gateway without news says that it lives every 5 s. */
  silent: MINUTE_MS,
  clock: 5_000,
  queue: 30 * MINUTE_MS,
  backup: 26 * HOUR_MS,
  certificate: 21 * DAY_MS,
} as const;

/** Something that is wrong. `value` and `limit` are milliseconds, percent or a number, by the kind; null: not by a number. */
export interface Trouble {
  readonly kind: TroubleKind;
  readonly value: number | null;
  readonly limit: number | null;
  /** Within a tenth of its limit on the good side: it goes on, and does not begin. */
  readonly isNear: boolean;
}

/** A gateway as it is judged. `health` is that of its newest report, even if it is old: it held then. */
export interface JudgedGateway {
  readonly contact: Contact;
  readonly health: GatewayHealth | null;
}

/** The limits of a judgement, and the version of this central server. */
export interface TroubleTerms {
  readonly limits: Readonly<Record<keyof typeof TROUBLE_LIMITS, number>>;
  readonly version: string;
}

/** A value has to come back by this part of its limit before it counts as good again. */
const BACK_BY = 0.1;

/** The trouble of this kind; null if there is none, or nothing is known of it. */
export function troubleOf(kind: TroubleKind, { contact, health }: JudgedGateway, terms: TroubleTerms): Trouble | null {
  const { limits, version } = terms;
  if (kind === 'silent') return silence(contact, limits.silent);
  if (health === null) return null;
  switch (kind) {
    case 'clock':
      return clockTrouble(health, limits.clock);
    case 'queue':
      return over(kind, health.queue.oldestAgeMs, limits.queue);
    case 'disk':
      return health.disk && under(kind, health.disk.freePercent, health.disk.leastPercent);
    case 'backup':
      return backupTrouble(health, limits.backup);
    case 'certificate':
      return health.certificateLeftMs === null ? null : under(kind, health.certificateLeftMs, limits.certificate);
    case 'setAside':
      return health.setAside === 0 ? null : { kind, value: health.setAside, limit: 0, isNear: false };
    case 'version':
      return isOlderVersion(health.version, version) ? { kind, value: null, limit: null, isNear: false } : null;
  }
}

/** All that is wrong, the worst first. `before`: the kinds that were there at the judgement before. */
export function troublesOf(
  gateway: JudgedGateway,
  before: ReadonlySet<TroubleKind>,
  terms: TroubleTerms,
): readonly Trouble[] {
  return TROUBLE_KINDS.flatMap((kind) => {
    const trouble = troubleOf(kind, gateway, terms);
    return trouble === null || (trouble.isNear && !before.has(kind)) ? [] : [trouble];
  });
}

function silence(contact: Contact, limit: number): Trouble | null {
  if (contact.state !== 'silent') return null;
  return { kind: 'silent', value: contact.forMs, limit, isNear: false };
}

/** The transit may explain a part of the difference: only the rest counts. */
function clockTrouble({ exchange }: GatewayHealth, limit: number): Trouble | null {
  if (exchange === null) return null;
  const { aheadMs, withinMs } = clockError(exchange);
  const trouble = over('clock', Math.abs(aheadMs) - withinMs, limit);
  return trouble && { ...trouble, value: aheadMs };
}

function backupTrouble({ backups }: GatewayHealth, limit: number): Trouble | null {
  if (backups === null) return null;
  const { newestAgeMs: value } = backups;
  return value !== null && value <= limit ? null : { kind: 'backup', value, limit, isNear: false };
}

function over(kind: TroubleKind, value: number, limit: number): Trouble | null {
  return value <= limit * (1 - BACK_BY) ? null : { kind, value, limit, isNear: value <= limit };
}

function under(kind: TroubleKind, value: number, limit: number): Trouble | null {
  return value >= limit * (1 + BACK_BY) ? null : { kind, value, limit, isNear: value >= limit };
}
