import type { RollOut, UpdatedGateway, UpdateStanding } from '../../domain/fleet/update/roll-out.ts';
import { isoTime } from '../../domain/time.ts';

interface JudgedGateway extends UpdatedGateway {
  readonly standing: UpdateStanding;
  readonly why: string;
}

/** An update of a group, as `/api/local/fleet/groups/{groupId}/update` shows it. */
export function rollOutView(rollOut: RollOut, gateways: readonly JudgedGateway[]) {
  const { updateId, version, arch, bytes, canaries, atOnce, at, who, state, why } = rollOut;
  const views = gateways.map(({ gatewayId, version: runs, report, standing, why: reason }) => {
    const taken = report?.taken?.updateId === updateId ? report.taken : null;
    return { gatewayId, version: runs, standing, why: reason, receivedBytes: taken?.receivedBytes ?? 0 };
  });
  return { version, arch, bytes, canaries, atOnce, at: isoTime(at), who, state, why, gateways: views };
}

export type RollOutView = ReturnType<typeof rollOutView>;
