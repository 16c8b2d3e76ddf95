import { computed, signal } from '@preact/signals';
import type { GatewayView } from '../../flows/receive/gateway-view.ts';
import { isCentral } from '../api/address.ts';
import { onEvent } from '../api/live.ts';
import { mayRead } from '../people/who.ts';
import { machineCount } from './machines.ts';
import { listOf } from './resource.ts';

/** The gateways that send here; empty at a gateway that is no central server. */
export const fleet = signal<readonly GatewayView[]>([]);

/** Gateways send here, or will, and the person may see them. */
export const showsFleet = computed(() => fleet.value.length > 0 || (isCentral && mayRead('technician')));

/** No machine is set up here: Plants takes the place of Andon. */
export const hasOnlyGateways = computed(() => showsFleet.value && machineCount.value === 0);

const { load } = listOf('/gateways', fleet);

export function loadFleet(): void {
  if (mayRead('technician')) void load();
}

let troubles: unknown = 0;

/** A trouble that begins or ends is an incident. */
export function followFleet(): void {
  onEvent('reset', loadFleet);
  onEvent('diagnostics', (data) => {
    const { sendingGateway } = (data as { readonly counts: Readonly<Record<string, number>> }).counts;
    if (sendingGateway === troubles) return;
    troubles = sendingGateway;
    loadFleet();
  });
}

/** A gateway in the words of people. */
export function gatewayName({ gatewayId, name }: GatewayView): string {
  return name ?? gatewayId;
}

/** Its machines that need a person. */
export function needsAt({ health }: GatewayView) {
  return health?.needs ?? [];
}
