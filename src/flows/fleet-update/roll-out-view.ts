import {
  type RollOut,
  shownStopReason,
  type UpdatedGateway,
  type UpdateStanding,
} from '../../domain/fleet/update/roll-out.ts';
import type { Sight } from '../../domain/plant/sight.ts';
import { isoTime } from '../../domain/time.ts';

interface JudgedGateway extends UpdatedGateway {
  readonly standing: UpdateStanding;
  readonly why: string;
}

/** An update of a group, as `/api/local/fleet/groups/{groupId}/update` shows it to a caller. */
export function rollOutView(rollOut: RollOut, gateways: readonly JudgedGateway[], { ofGateway }: Sight) {
  const { updateId, version, arch, bytes, atOnce, at, who, state } = rollOut;
  const canaries = rollOut.canaries.filter(ofGateway);
  // A canary may have left the group since.
  const namedIds = [...gateways.map(({ gatewayId }) => gatewayId), ...rollOut.canaries];
  const hiddenIds = namedIds.filter((gatewayId) => !ofGateway(gatewayId));
  const why = shownStopReason(rollOut.why, hiddenIds);
  const seen = gateways.filter(({ gatewayId }) => ofGateway(gatewayId));
  const views = seen.map(({ gatewayId, version: runs, report, standing, why: reason }) => {
    const taken = report?.taken?.updateId === updateId ? report.taken : null;
    return { gatewayId, version: runs, standing, why: reason, receivedBytes: taken?.receivedBytes ?? 0 };
  });
  return { version, arch, bytes, canaries, atOnce, at: isoTime(at), who, state, why, gateways: views };
}

export type RollOutView = ReturnType<typeof rollOutView>;
