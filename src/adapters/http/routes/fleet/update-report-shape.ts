import type { Static } from 'typebox';
import * as Type from 'typebox';
import { MAX_REASON_LENGTH, TAKEN_STATES, type UpdateReport } from '../../../../domain/fleet/update/update-report.ts';
import { MAX_UPDATE_BYTES } from '../../../../domain/update/update-header.ts';
import { choice, orNull } from '../shapes.ts';

/** The shape of what a gateway tells about updates from here. */
export const UPDATE_REPORT = Type.Object(
  {
    arch: Type.String({ pattern: '^[a-z0-9]{1,16}$' }),
    obstacle: orNull(choice(['package', 'noService'])),
    upForMs: Type.Number({ minimum: 0, maximum: 3_155_760_000_000 }),
    taken: orNull(
      Type.Object({
        updateId: Type.String({ minLength: 1, maxLength: 64 }),
        state: choice(TAKEN_STATES),
        receivedBytes: Type.Integer({ minimum: 0, maximum: MAX_UPDATE_BYTES }),
        reason: Type.String({ maxLength: MAX_REASON_LENGTH }),
      }),
    ),
  },
  { title: 'UpdateReport', description: 'Updates from the central server' },
);

/** The fields that are kept. */
export function updateReportIn({ arch, obstacle, upForMs, taken }: Static<typeof UPDATE_REPORT>): UpdateReport {
  return {
    arch,
    obstacle,
    upForMs,
    taken: taken && {
      updateId: taken.updateId,
      state: taken.state,
      receivedBytes: taken.receivedBytes,
      reason: taken.reason,
    },
  };
}
