import { loneValue, readSwitch } from '../../domain/machine/status/status.ts';
import type { RetainedPresence } from './device-ports.ts';
import type { Connection } from './live-machine.ts';
import type { MachineRegistry } from './machine-registry.ts';

/** Gives machines whose connection is unknown that of their retained messages (MQTT-06). */
export function restoreConnections(
  registry: MachineRegistry,
  retained: (topicRoot: string, topic: 'online' | 'lwt') => RetainedPresence | null,
): void {
  for (const live of registry.all()) {
    if (live.connection !== 'unknown') continue;
    const { topicRoot } = live.machine;
    registry.setConnection(live, retainedConnection(retained(topicRoot, 'online'), retained(topicRoot, 'lwt')));
  }
}

/**
 * The connection that the retained `online` and `lwt` of a machine show. A last will stays retained after the machine
 * has come back, so the newer one counts. It is unknown which one is newer if both are from before the start.
 */
function retainedConnection(online: RetainedPresence | null, lwt: RetainedPresence | null): Connection {
  const isOnline = online === null ? null : readSwitch(loneValue(online.text));
  const isGone = lwt !== null && readSwitch(loneValue(lwt.text)) === false;
  if (isOnline === false) return 'offline';
  if (isOnline === null) return isGone ? 'offline' : 'unknown';
  if (!isGone || online === null || online.arrival > lwt.arrival) return 'online';
  return lwt.arrival > online.arrival ? 'offline' : 'unknown';
}
