import type { MachineRegistry } from '../device/machine-registry.ts';
import type { OpenWork } from './order-ports.ts';

/** The newest work sessions with a job number: the store learns of their pieces only now and then. */
export function openWork(registry: Pick<MachineRegistry, 'all'>): readonly OpenWork[] {
  return registry.all().flatMap(({ state: { session } }) => {
    if (session === null || session.jobNumber === null) return [];
    const { sessionId, jobNumber, goodParts } = session;
    return [{ sessionId, jobNumber, goodParts }];
  });
}
