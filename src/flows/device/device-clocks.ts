import { impossibleBoot } from '../../domain/machine/counters/impossible-boot.ts';
import type { Incidents } from '../ports.ts';
import type { MachineRegistry } from './machine-registry.ts';

/** Reports devices whose mSecSinceBoot goes back without a reboot, because their counters are counted wrongly. */
export function watchDeviceClocks(registry: Pick<MachineRegistry, 'onChange'>, incidents: Incidents): void {
  registry.onChange((live, effects, before) => {
    if (!effects.some(({ type }) => type === 'reboot')) return;
    const detail = impossibleBoot(before, live.state);
    if (detail === null) return;
    const { address } = live;
    const where = address === null ? {} : { address };
    incidents.report({ kind: 'deviceClock', subject: live.machine.machineId, detail, ...where });
  });
}
