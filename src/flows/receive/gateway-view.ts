import { alertSentence } from '../../domain/alert/alert-words.ts';
import { type KnownGateway, troubleCause } from '../../domain/alert/trouble-cause.ts';
import type { Contact } from '../../domain/fleet/contact.ts';
import { clockError, type GatewayReport } from '../../domain/fleet/gateway-health.ts';
import type { JudgedGateway, Trouble } from '../../domain/fleet/trouble.ts';
import { isoTime, isoTimeOrNull } from '../../domain/time.ts';
import type { NameRefusal, ReceivedGateway } from './receive-ports.ts';

/** A gateway with its newest report. */
export interface ToldGateway extends ReceivedGateway, JudgedGateway {
  readonly told: GatewayReport | null;
}

/** A gateway that sends here, as `/api/local/gateways` shows it (contract.md). */
export function gatewayView(
  gateway: ToldGateway & { readonly troubles: readonly Trouble[] },
  heardAt: (refusal: NameRefusal) => number | null,
) {
  const { gatewayId, plantId, name, lastContactAt, records, principal, machines, streams, stream } = gateway;
  const { contact, told, refused, troubles } = gateway;
  return {
    gatewayId,
    plantId,
    name,
    lastContactAt: isoTime(lastContactAt),
    contact: contactView(contact, lastContactAt),
    records,
    principal,
    machines,
    streams,
    stream,
    refused: refused.map((refusal) => ({
      ...refusal,
      since: isoTime(refusal.since),
      lastHeardAt: isoTimeOrNull(heardAt(refusal)),
    })),
    health: told === null ? null : healthView(told),
    troubles: troubles.map((trouble) => troubleView(gateway, trouble)),
  };
}

export type GatewayView = ReturnType<typeof gatewayView>;

/** `since`: the last contact with a gateway that is silent; otherwise null. */
export function contactView({ state }: Contact, lastContactAt: number) {
  return { state, since: state === 'silent' ? isoTime(lastContactAt) : null };
}

/** The times are by the clock here, which the gateway's may not follow. */
function healthView({ receivedAt, health }: GatewayReport) {
  const {
    version,
    timeZone,
    machines,
    queue,
    setAside,
    openAlerts,
    disk,
    backups,
    certificateLeftMs,
    exchange,
    needs,
  } = health;
  const ago = (ms: number | null) => (ms === null ? null : isoTime(receivedAt - ms));
  const error = exchange === null ? null : clockError(exchange);
  return {
    at: isoTime(receivedAt),
    version,
    timeZone,
    machines,
    queue: { records: queue.records, oldestAt: queue.records === 0 ? null : ago(queue.oldestAgeMs) },
    setAside,
    openAlerts,
    disk,
    backup: backups === null ? null : { newestAt: ago(backups.newestAgeMs) },
    certificateUntil: certificateLeftMs === null ? null : isoTime(receivedAt + certificateLeftMs),
    clock: error === null ? null : { aheadMs: Math.round(error.aheadMs), withinMs: Math.round(error.withinMs) },
    needs: needs.map(({ machineId, name, need, forMs }) => ({ machineId, name, need, since: ago(forMs) })),
  };
}

/** `sentence`: as alerts and incidents say it. */
function troubleView(gateway: KnownGateway, trouble: Trouble) {
  const { kind, value, limit } = trouble;
  const { lastedMs, ...cause } = troubleCause(gateway, trouble);
  const sentence = { en: alertSentence(cause, lastedMs, 'en'), de: alertSentence(cause, lastedMs, 'de') };
  return { kind, value: value === null ? null : Math.round(value), limit, sentence };
}
