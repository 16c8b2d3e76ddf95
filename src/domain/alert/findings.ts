import type { DecisionCause } from '../machine/decision-cause.ts';
import { HOUR_MS, MINUTE_MS } from '../time.ts';
import type { AlertCause } from './alert.ts';
import { type AlertRule, CLOCK_JUMP_SHOWN_MS } from './alert-rule.ts';
import type { DatabaseFault } from './alert-words.ts';
import type { Finding } from './evaluate.ts';
import { type FleetFacts, fleetFindings } from './fleet-findings.ts';

/** A condition that lasts; `forMs` null: it is not known for how long. */
export interface Lasting {
  readonly forMs: number | null;
}

/** A machine as the rules see it. Null: the condition does not hold, or is not known. */
export interface MachineFacts {
  readonly machineId: string;
  readonly name: string;
  readonly area: string | null;
  readonly held: Lasting | null;
  readonly fault: Lasting | null;
  readonly silent: Lasting | null;
  /** The share of the last hour; null without a part. */
  readonly scrapPercent: number | null;
}

/** The newest value of a variable that a rule limits. */
export interface VariableFact {
  readonly ruleId: string;
  readonly machine: Pick<MachineFacts, 'machineId' | 'name' | 'area'>;
  readonly value: number;
}

export interface LateTask {
  readonly taskId: string;
  readonly machine: Pick<MachineFacts, 'machineId' | 'name' | 'area'>;
  readonly lateMs: number;
}

/** The gateway as the rules see it. Null: not known at present, so that nothing begins or ends by it. */
export interface GatewayFacts {
  readonly lateTasks: readonly LateTask[] | null;
  readonly variables: readonly VariableFact[] | null;
  readonly queueOldMs: number | null;
  readonly diskFreePercent: number | null;
  /** The age of the newest backup; infinite without one. */
  readonly backupAgeMs: number | null;
  readonly certificates: readonly { readonly setting: string; readonly leftMs: number }[];
  /** The newest jump of the clock; null without one. */
  readonly clockJump: { readonly seconds: number; readonly agoMs: number } | null;
  readonly database: DatabaseFault | null;
  readonly channels: readonly { readonly channelId: string; readonly name: string; readonly failingMs: number }[];
  /** The gateways that send here. */
  readonly fleet: FleetFacts;
}

/** The reason for which a machine needs a person. A machine that is switched off, or never spoke, needs nobody. */
export function needOf(cause: DecisionCause | null): 'held' | 'silent' | null {
  switch (cause?.kind) {
    case 'noPart':
    case 'downtimeOpen':
      return 'held';
    case 'silent':
    case 'messagesRefused':
      return 'silent';
    default:
      return null;
  }
}

/** The causes that the rules find at one machine. */
export function machineFindings(rules: readonly AlertRule[], facts: MachineFacts): readonly Finding[] {
  return rules.flatMap((rule) => {
    if (!isAbout(rule, facts)) return [];
    switch (rule.kind) {
      case 'held':
      case 'fault':
      case 'silent': {
        const lasting = facts[rule.kind];
        return lasting === null ? [] : [{ ...causeAt(rule, facts), forMs: lasting.forMs, isNear: false }];
      }
      case 'scrap':
        return scrapFindings(rule, facts);
      default:
        return [];
    }
  });
}

/** Whether a rule is about a machine. */
export function isAbout(
  { machineIds, areas }: AlertRule,
  { machineId, area }: Pick<MachineFacts, 'machineId' | 'area'>,
) {
  const isOfMachine = machineIds.length === 0 || machineIds.includes(machineId);
  return isOfMachine && (areas.length === 0 || (area !== null && areas.includes(area)));
}

function causeAt(
  rule: AlertRule,
  { machineId, name, area }: Pick<MachineFacts, 'machineId' | 'name' | 'area'>,
): AlertCause {
  const { ruleId, kind, limit } = rule;
  const nothing = { detail: null, value: null, side: null } as const;
  return { ruleId, kind, subject: machineId, name, machineId, area, limit, ...nothing };
}

/** A value has to come back by this part of its limit before it counts as good again. */
const BACK_BY = 0.1;

function scrapFindings(rule: AlertRule, facts: MachineFacts): readonly Finding[] {
  const { scrapPercent: value } = facts;
  if (value === null || value <= rule.limit * (1 - BACK_BY)) return [];
  return [{ ...causeAt(rule, facts), value, side: 'over', forMs: null, isNear: value <= rule.limit }];
}

/** The causes that the rules find outside of the machines. */
export function gatewayFindings(rules: readonly AlertRule[], facts: GatewayFacts): readonly Finding[] {
  return rules.flatMap((rule) => findingsOf(rule, facts));
}

function findingsOf(rule: AlertRule, facts: GatewayFacts): readonly Finding[] {
  switch (rule.kind) {
    case 'taskLate':
      return (facts.lateTasks ?? []).flatMap((task) => taskFindings(rule, task));
    case 'variable':
      return (facts.variables ?? []).flatMap((fact) => variableFindings(rule, fact));
    case 'queueOld':
      return over(rule, facts.queueOldMs === null ? null : facts.queueOldMs / MINUTE_MS, facts.queueOldMs);
    case 'disk':
      return diskFindings(rule, facts.diskFreePercent);
    case 'backup':
      return backupFindings(rule, facts.backupAgeMs);
    case 'certificate':
      return facts.certificates.flatMap((certificate) => certificateFindings(rule, certificate));
    case 'clock':
      return clockFindings(rule, facts.clockJump);
    case 'database':
      return facts.database === null ? [] : [{ ...gatewayCause(rule), detail: facts.database, ...AT_ONCE }];
    case 'channel':
      return facts.channels.map(({ channelId, name, failingMs }) => {
        return { ...gatewayCause(rule), subject: channelId, name, forMs: failingMs, isNear: false };
      });
    default:
      return fleetFindings(rule, facts.fleet);
  }
}

/** The rules whose causes could not be looked at. */
export function unknownRules(rules: readonly AlertRule[], facts: GatewayFacts): ReadonlySet<string> {
  const missing: Partial<Record<AlertRule['kind'], unknown>> = {
    taskLate: facts.lateTasks,
    variable: facts.variables,
    queueOld: facts.queueOldMs,
    disk: facts.diskFreePercent,
    backup: facts.backupAgeMs,
    // After a start nobody knows yet who is silent.
    gatewaySilent: facts.fleet.gateways.some(({ contact }) => contact.state === 'awaited') ? null : 0,
  };
  return new Set(rules.filter(({ kind }) => missing[kind] === null).map(({ ruleId }) => ruleId));
}

const AT_ONCE = { forMs: 0, isNear: false } as const;

function gatewayCause({ ruleId, kind, limit }: AlertRule): AlertCause {
  const nobody = { subject: '', name: '', machineId: null, area: null, detail: null } as const;
  return { ruleId, kind, limit, ...nobody, value: null, side: null };
}

function over(rule: AlertRule, value: number | null, forMs: number | null): readonly Finding[] {
  if (value === null || value <= rule.limit * (1 - BACK_BY)) return [];
  return [{ ...gatewayCause(rule), side: 'over', forMs, isNear: value <= rule.limit }];
}

function diskFindings(rule: AlertRule, freePercent: number | null): readonly Finding[] {
  if (freePercent === null || freePercent >= rule.limit * (1 + BACK_BY)) return [];
  const value = Math.round(freePercent * 10) / 10;
  return [{ ...gatewayCause(rule), value, side: 'under', forMs: 0, isNear: freePercent >= rule.limit }];
}

function backupFindings(rule: AlertRule, ageMs: number | null): readonly Finding[] {
  if (ageMs === null || ageMs <= rule.limit * HOUR_MS) return [];
  const value = Number.isFinite(ageMs) ? Math.floor(ageMs / HOUR_MS) : null;
  return [{ ...gatewayCause(rule), value, side: 'over', ...AT_ONCE }];
}

const DAY_MS = 24 * HOUR_MS;

function certificateFindings(
  rule: AlertRule,
  { setting, leftMs }: GatewayFacts['certificates'][number],
): readonly Finding[] {
  if (leftMs >= rule.limit * DAY_MS) return [];
  const value = Math.floor(leftMs / DAY_MS);
  return [{ ...gatewayCause(rule), subject: setting, name: setting, value, side: 'under', ...AT_ONCE }];
}

function clockFindings(rule: AlertRule, jump: GatewayFacts['clockJump']): readonly Finding[] {
  if (jump === null || jump.agoMs > CLOCK_JUMP_SHOWN_MS) return [];
  return [{ ...gatewayCause(rule), value: jump.seconds, ...AT_ONCE }];
}

function taskFindings(rule: AlertRule, { taskId, machine, lateMs }: LateTask): readonly Finding[] {
  if (lateMs < rule.limit * MINUTE_MS || !isAbout(rule, machine)) return [];
  const cause = { ...causeAt(rule, machine), subject: taskId, detail: machine.name };
  return [{ ...cause, forMs: lateMs, isNear: false }];
}

function variableFindings(rule: AlertRule, { ruleId, machine, value }: VariableFact): readonly Finding[] {
  const { variable } = rule;
  if (ruleId !== rule.ruleId || variable === null || !isAbout(rule, machine)) return [];
  const broken = brokenLimit(variable, value);
  if (broken === null) return [];
  const cause = { ...causeAt(rule, machine), subject: `${machine.machineId}/${variable.name}`, detail: variable.name };
  return [{ ...cause, limit: broken.limit, side: broken.side, value, forMs: null, isNear: broken.isNear }];
}

/** A value near its limit is within a hundredth of the limit on its good side. */
const NEAR_PART = 0.01;

function brokenLimit({ low, high }: NonNullable<AlertRule['variable']>, value: number) {
  if (low !== null && value < low + Math.abs(low) * NEAR_PART) {
    return { side: 'under', limit: low, isNear: value >= low } as const;
  }
  if (high !== null && value > high - Math.abs(high) * NEAR_PART) {
    return { side: 'over', limit: high, isNear: value <= high } as const;
  }
  return null;
}
