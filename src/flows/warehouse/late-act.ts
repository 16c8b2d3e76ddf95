import { isoTime } from '../../domain/time.ts';
import type { Audit } from '../audit/audit.ts';
import type { LegacyVerdict } from './settle-legacy-write.ts';
import type { LateWriteView, LegacyWrite } from './warehouse-ports.ts';

/**
 * The audit entry of a write whose request was answered before the outcome was known (D-16). Role and address of its
 * person are not kept with a write, which may outlast a restart.
 */
export function lateAct(write: LegacyWrite, { kind: outcome }: LegacyVerdict): Parameters<Audit['note']>[0] {
  const { coilId, location, previousLocation, principal, purpose, startedAt } = write;
  const requestedAt = isoTime(startedAt);
  return {
    who: principal,
    role: '',
    address: '',
    act: purpose.type === 'move' ? 'moveCoil' : `task ${purpose.type}`,
    subject: purpose.type === 'move' ? coilId : purpose.taskId,
    before: JSON.stringify({ location: previousLocation }),
    after: JSON.stringify({ coilId, location, requestedAt, outcome }),
  };
}

/** The write as the page shows it, and as its outcome is announced. */
export function lateWriteView(write: LegacyWrite, outcome: LateWriteView['outcome']): LateWriteView {
  const { coilId, location, principal, purpose, startedAt } = write;
  const taskId = purpose.type === 'move' ? null : purpose.taskId;
  return { coilId, location, taskId, principal, requestedAt: isoTime(startedAt), outcome };
}
