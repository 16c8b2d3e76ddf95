import { TROUBLE_KINDS, TROUBLE_LIMITS, troubleOf } from '../fleet/trouble.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts';
import { type AlertRule, FLEET_RULES, type LimitUnit, UNITS } from './alert-rule.ts';
import type { Finding } from './evaluate.ts';
import { type KnownGateway, troubleCause } from './trouble-cause.ts';

/** The gateways that send here as the rules see them, and the version of this one. */
export interface FleetFacts {
  readonly gateways: readonly KnownGateway[];
  readonly version: string;
}

const UNIT_MS: Readonly<Record<LimitUnit, number>> = {
  seconds: 1_000,
  minutes: MINUTE_MS,
  hours: HOUR_MS,
  days: DAY_MS,
  percent: 1,
  none: 1,
};

/** The causes that a rule finds at the gateways that send here, by its own limit (D-97). */
export function fleetFindings(rule: AlertRule, { gateways, version }: FleetFacts): readonly Finding[] {
  const kind = TROUBLE_KINDS.find((trouble) => FLEET_RULES[trouble] === rule.kind);
  if (kind === undefined) return [];
  const limits = { ...TROUBLE_LIMITS, [kind]: rule.limit * UNIT_MS[UNITS[rule.kind].unit] };
  return gateways.flatMap((gateway) => {
    const trouble = troubleOf(kind, gateway, { limits, version });
    if (trouble === null) return [];
    const { lastedMs, ...cause } = troubleCause(gateway, trouble);
    return [{ ...cause, ruleId: rule.ruleId, limit: rule.limit, forMs: lastedMs, isNear: trouble.isNear }];
  });
}
