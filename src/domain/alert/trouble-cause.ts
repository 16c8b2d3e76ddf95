import type { JudgedGateway, Trouble } from '../fleet/trouble.ts';
import { DAY_MS, HOUR_MS } from '../time.ts';
import type { AlertCause } from './alert.ts';
import { FLEET_RULES } from './alert-rule.ts';

/** A judged gateway with its names; `name` null: nobody gave it one. */
export interface KnownGateway extends JudgedGateway {
  readonly gatewayId: string;
  readonly name: string | null;
}

/** A trouble as alerts, incidents and the page say it, and how long it has lasted; 0 where that says nothing. */
export function troubleCause(
  { gatewayId, name, health }: KnownGateway,
  trouble: Trouble,
): AlertCause & { readonly lastedMs: number } {
  const kind = FLEET_RULES[trouble.kind];
  const common = { ruleId: kind, kind, subject: gatewayId, name: name ?? gatewayId, machineId: null, area: null };
  return { ...common, detail: null, value: null, limit: trouble.limit ?? 0, side: null, lastedMs: 0, ...told() };

  function told(): Partial<AlertCause> & { readonly lastedMs?: number } {
    const { value } = trouble;
    switch (trouble.kind) {
      case 'silent':
      case 'queue':
        return { side: 'over', lastedMs: value ?? 0 };
      case 'disk':
        return { side: 'under', value: rounded(value ?? 0) };
      case 'clock':
        return { side: (value ?? 0) > 0 ? 'over' : 'under', value: rounded(Math.abs(value ?? 0) / 1_000) };
      case 'setAside':
        return { value };
      case 'backup':
        return { side: 'over', value: value === null ? null : Math.floor(value / HOUR_MS) };
      case 'certificate':
        return { side: 'under', value: Math.floor((value ?? 0) / DAY_MS) };
      case 'version':
        return { detail: health?.version ?? null };
    }
  }
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
