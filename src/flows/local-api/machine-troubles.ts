import { isoTime } from '../../domain/time.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { Incident } from '../ports.ts';
import type { DistinctFault } from './distinct-faults.ts';
import type { IncidentEntry, IncidentLog } from './incident-log.ts';
import type { TroubleView } from './local-api-ports.ts';

/** Kinds that a client can cause before its machine is known. */
const OF_CONNECTIONS: readonly Incident['kind'][] = [
  'accessRefused',
  'protocolViolation',
  'brokenHttp',
  'forbiddenPublish',
  'packetTooLarge',
  'malformed',
  'unknownDevice',
  'unmatchedTopic',
  'unmatchedSubscription',
  'limitReached',
];
/** Troubles of one machine that are shown, the newest first. */
const MAX_TROUBLES = 50;

interface Found {
  readonly entry: IncidentEntry;
  readonly fault: DistinctFault;
  readonly isCertain: boolean;
}

/**
 * Troubles of a machine lately, the newest first: under its own id, under a name that is nearly its own, and from its
 * address. The address of a machine that sent nothing since the start is unknown. So it also shows troubles from
 * addresses that belong to no known machine.
 */
export function machineTroubles(
  live: LiveMachine,
  machines: readonly LiveMachine[],
  incidents: IncidentLog,
  kinds: readonly Incident['kind'][],
): readonly TroubleView[] {
  const { machineId } = live.machine;
  const own = kinds.flatMap((kind) => faultsOf(incidents.entry(kind, machineId), true));
  const others = OF_CONNECTIONS.flatMap((kind) => incidents.entries(kind))
    .filter(({ subject }) => subject !== machineId)
    .flatMap((entry) => faultsOf(entry, false))
    .map((found) => ({ ...found, isCertain: found.fault.meantFor === machineId }));
  const isNear = nearnessOf(live, machines);
  return [...own, ...others.filter((found) => found.isCertain || isNear(found))]
    .sort((one, other) => other.fault.lastAt - one.fault.lastAt)
    .slice(0, MAX_TROUBLES)
    .map(troubleView);
}

function faultsOf(entry: IncidentEntry | undefined, isCertain: boolean): readonly Found[] {
  return entry?.faults.map((fault) => ({ entry, fault, isCertain })) ?? [];
}

/** Whether trouble of an unnamed client may be this machine's, by the address alone. */
function nearnessOf(live: LiveMachine, machines: readonly LiveMachine[]): (found: Found) => boolean {
  const ids = new Set<string>(machines.map(({ machine }) => machine.machineId));
  const taken = new Set(machines.map(({ address }) => address));
  return ({ entry, fault: { address, meantFor } }) => {
    if (address === null || meantFor !== null || ids.has(entry.subject)) return false;
    return live.address === null ? !taken.has(address) : address === live.address;
  };
}

function troubleView({ entry, fault, isCertain }: Found): TroubleView {
  const { detail, count, firstAt, lastAt, address, example } = fault;
  return {
    kind: entry.kind,
    subject: entry.subject,
    detail,
    count,
    firstAt: isoTime(firstAt),
    lastAt: isoTime(lastAt),
    address,
    example,
    isCertain,
  };
}
