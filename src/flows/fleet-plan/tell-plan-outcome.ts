import type { Audit } from '../audit/audit.ts';
import type { Incidents } from '../ports.ts';
import type { PlanOutcome } from './plan-applier.ts';

/** The principal of a plan in the audit. */
const CENTRAL_SERVER = 'central server';
/** Changes that one entry of the audit names. */
const MAX_AUDITED = 20;

/** Keeps at this gateway that a plan of its central server was applied or refused. */
export function tellPlanOutcome(
  { audit, incidents }: { readonly audit: Pick<Audit, 'note'>; readonly incidents: Incidents },
  version: number,
  outcome: PlanOutcome,
): void {
  const note = (act: string, after: object) => {
    const entry = { who: CENTRAL_SERVER, role: '', address: '', act, subject: `version ${version}`, before: null };
    audit.note({ ...entry, after: JSON.stringify(after) });
  };
  if (outcome.kind === 'applied') {
    const { changes } = outcome;
    note('applyPlan', { changes: changes.length, first: changes.slice(0, MAX_AUDITED) });
    return;
  }
  const { faults } = outcome;
  note('refusePlan', { faults });
  const detail = `version ${version} of the plan was refused: ${faults.join('; ')}`;
  incidents.report({ kind: 'upstream', subject: 'plan', detail });
}
