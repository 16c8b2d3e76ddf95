import { TROUBLE_KINDS, type TroubleKind } from '../fleet/trouble.ts';
import { HOUR_MS, MINUTE_MS } from '../time.ts';

/** Rules of a central server about the gateways that send to it, by what is wrong there (D-97). */
export type FleetRuleKind = `gateway${Capitalize<TroubleKind>}`;

export const FLEET_RULES: Readonly<Record<TroubleKind, FleetRuleKind>> = {
  silent: 'gatewaySilent',
  disk: 'gatewayDisk',
  clock: 'gatewayClock',
  queue: 'gatewayQueue',
  setAside: 'gatewaySetAside',
  backup: 'gatewayBackup',
  certificate: 'gatewayCertificate',
  version: 'gatewayVersion',
};

/**
 * The kinds of rules. A rule of the first five is about machines, a `taskLate` about tasks, a `gateway…` about another
 * gateway, the others about this one.
 */
export const RULE_KINDS = [
  'held',
  'fault',
  'silent',
  'variable',
  'scrap',
  'taskLate',
  'queueOld',
  'disk',
  'backup',
  'certificate',
  'clock',
  'database',
  'channel',
  'gatewaySilent',
  'gatewayDisk',
  'gatewayClock',
  'gatewayQueue',
  'gatewaySetAside',
  'gatewayBackup',
  'gatewayCertificate',
  'gatewayVersion',
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** Red is told in quiet hours too, unless the recipient wants no such message. */
export type Severity = 'red' | 'amber';

export const SEVERITY: Readonly<Record<RuleKind, Severity>> = {
  held: 'red',
  fault: 'red',
  silent: 'red',
  disk: 'red',
  database: 'red',
  variable: 'amber',
  scrap: 'amber',
  taskLate: 'amber',
  queueOld: 'amber',
  backup: 'amber',
  certificate: 'amber',
  clock: 'amber',
  channel: 'amber',
  gatewaySilent: 'red',
  gatewayDisk: 'red',
  gatewayClock: 'amber',
  gatewayQueue: 'amber',
  gatewaySetAside: 'amber',
  gatewayBackup: 'amber',
  gatewayCertificate: 'amber',
  gatewayVersion: 'amber',
};

/** The roles that a step of a rule may name instead of a recipient. */
export const TOLD_ROLES = ['technician', 'supervisor', 'admin'] as const;
export type ToldRole = (typeof TOLD_ROLES)[number];

/** The people who are told, and the time after the opening of the alert. `to` has ids of recipients, or `role:` and a role. */
export interface AlertStep {
  readonly afterMinutes: number;
  readonly to: readonly string[];
}

/** The limits of a process variable; null: no limit on that side. */
export interface VariableLimits {
  readonly name: string;
  readonly low: number | null;
  readonly high: number | null;
}

export interface AlertRule {
  readonly ruleId: string;
  readonly kind: RuleKind;
  readonly isOn: boolean;
  /** Its unit depends on the kind: see `UNITS`. */
  readonly limit: number;
  /** Empty: every machine. */
  readonly machineIds: readonly string[];
  /** Empty: every area. */
  readonly areas: readonly string[];
  /** The shifts in which it may open an alert; empty: all. */
  readonly shifts: readonly string[];
  /** Time outside of planned shifts, and breaks, does not count and opens nothing. */
  readonly isPlanOnly: boolean;
  /** Null for all kinds but `variable`. */
  readonly variable: VariableLimits | null;
  readonly steps: readonly AlertStep[];
}

export type LimitUnit = 'seconds' | 'minutes' | 'hours' | 'days' | 'percent' | 'none';

/** The unit of the limit of each kind, the least and the greatest limit. */
export const UNITS: Readonly<
  Record<RuleKind, { readonly unit: LimitUnit; readonly least: number; readonly most: number }>
> = {
  held: { unit: 'minutes', least: 0, most: 1_440 },
  fault: { unit: 'minutes', least: 0, most: 1_440 },
  silent: { unit: 'minutes', least: 0, most: 1_440 },
  variable: { unit: 'minutes', least: 0, most: 1_440 },
  scrap: { unit: 'percent', least: 0.1, most: 100 },
  taskLate: { unit: 'minutes', least: 0, most: 1_440 },
  queueOld: { unit: 'minutes', least: 1, most: 43_200 },
  disk: { unit: 'percent', least: 1, most: 90 },
  backup: { unit: 'hours', least: 1, most: 1_000 },
  certificate: { unit: 'days', least: 1, most: 365 },
  clock: { unit: 'none', least: 0, most: 0 },
  database: { unit: 'none', least: 0, most: 0 },
  channel: { unit: 'minutes', least: 0, most: 1_440 },
  gatewaySilent: { unit: 'minutes', least: 1, most: 1_440 },
  // Each gateway tells the limit of its own disk.
  gatewayDisk: { unit: 'none', least: 0, most: 0 },
  gatewayClock: { unit: 'seconds', least: 1, most: 3_600 },
  gatewayQueue: { unit: 'minutes', least: 1, most: 43_200 },
  gatewaySetAside: { unit: 'none', least: 0, most: 0 },
  gatewayBackup: { unit: 'hours', least: 1, most: 1_000 },
  gatewayCertificate: { unit: 'days', least: 1, most: 365 },
  gatewayVersion: { unit: 'none', least: 0, most: 0 },
};

const EVERYWHERE = { isOn: false, machineIds: [], areas: [], shifts: [], isPlanOnly: false, variable: null } as const;

/** The rules that a gateway begins with. All are off. One tap switches one on; then the people of its role are told. */
export const DEFAULT_RULES: readonly AlertRule[] = [
  ofFloor('held', 10),
  ofFloor('fault', 5),
  ofFloor('silent', 5),
  ofFloor('scrap', 5),
  ofFloor('taskLate', 10),
  ofGateway('queueOld', 30),
  ofGateway('disk', 10),
  ofGateway('backup', 26),
  ofGateway('certificate', 21),
  ofGateway('clock', 0),
  ofGateway('database', 0),
  ofGateway('channel', 15),
  ofGateway('gatewaySilent', 1),
  ofGateway('gatewayDisk', 0),
  ofGateway('gatewayClock', 5),
  ofGateway('gatewayQueue', 30),
  ofGateway('gatewaySetAside', 0),
  ofGateway('gatewayBackup', 26),
  ofGateway('gatewayCertificate', 21),
  ofGateway('gatewayVersion', 0),
];

/** A rule about machines. Technicians are told, and supervisors if nobody takes the alert. */
function ofFloor(kind: RuleKind, limit: number): AlertRule {
  const steps = [
    { afterMinutes: 0, to: ['role:technician'] },
    { afterMinutes: 10, to: ['role:supervisor'] },
  ];
  return { ...EVERYWHERE, ruleId: kind, kind, limit, isPlanOnly: true, steps };
}

function ofGateway(kind: RuleKind, limit: number): AlertRule {
  return { ...EVERYWHERE, ruleId: kind, kind, limit, steps: [{ afterMinutes: 0, to: ['role:admin'] }] };
}

/** How long the cause has to last before an alert opens. Other kinds count it in their finding. */
export function openAfterMs({ kind, limit }: AlertRule): number {
  switch (kind) {
    case 'held':
    case 'fault':
    case 'silent':
    case 'variable':
    case 'channel':
    case 'gatewaySilent':
      return limit * MINUTE_MS;
    default:
      return 0;
  }
}

/** The rules that are kept, and the defaults that nobody changed. */
export function withDefaults(kept: readonly AlertRule[]): readonly AlertRule[] {
  const changed = new Map(kept.map((rule) => [rule.ruleId, rule]));
  const defaults = DEFAULT_RULES.map((rule) => changed.get(rule.ruleId) ?? rule);
  return [...defaults, ...kept.filter(({ ruleId }) => !isDefault(ruleId))];
}

/** Whether a rule is about gateways that send here. */
export function isFleetRule({ kind }: Pick<AlertRule, 'kind'>): boolean {
  return TROUBLE_KINDS.some((trouble) => FLEET_RULES[trouble] === kind);
}

export function isDefault(ruleId: string): boolean {
  return DEFAULT_RULES.some((rule) => rule.ruleId === ruleId);
}

/** An alert about the clock ends this long after the jump. */
export const CLOCK_JUMP_SHOWN_MS = HOUR_MS;
