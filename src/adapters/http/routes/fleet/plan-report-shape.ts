import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PLAN_PARTS, type PlanPart } from '../../../../domain/fleet/plan/fleet-plan.ts';
import {
  DEVIATIONS,
  MAX_FAULT_LENGTH,
  MAX_TOLD_FAULTS,
  MAX_TOLD_RECORDS,
  type PlanReport,
} from '../../../../domain/fleet/plan/plan-report.ts';
import { orNull } from '../shapes.ts';

/** The shape of what a gateway tells about its plan. Kinds and reasons of a later version are left out. */

const VERSION = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const COUNT = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const WORD = Type.String({ minLength: 1, maxLength: 32 });
const ID = Type.String({ minLength: 1, maxLength: 256 });
const FIELDS = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 });
const FAULTS = Type.Array(Type.String({ maxLength: MAX_FAULT_LENGTH }), { maxItems: MAX_TOLD_FAULTS });

export const PLAN_REPORT = Type.Object(
  {
    groupId: Type.String({ minLength: 1, maxLength: 64 }),
    version: orNull(VERSION),
    appliedForMs: orNull(Type.Number({ minimum: 0, maximum: 3_155_760_000_000 })),
    refused: orNull(Type.Object({ version: VERSION, faults: FAULTS })),
    deviationCount: COUNT,
    deviations: Type.Array(Type.Object({ kind: WORD, id: ID, why: WORD, fields: FIELDS }), {
      maxItems: MAX_TOLD_RECORDS,
    }),
    preview: orNull(
      Type.Object({
        version: VERSION,
        faults: FAULTS,
        changeCount: COUNT,
        changes: Type.Array(Type.Object({ kind: WORD, id: ID, change: WORD, fields: FIELDS }), {
          maxItems: MAX_TOLD_RECORDS,
        }),
      }),
    ),
  },
  { title: 'PlanReport', description: 'The plan of its group' },
);

/** The fields that are kept. */
export function planReportIn(sent: Static<typeof PLAN_REPORT>): PlanReport {
  const { groupId, version, appliedForMs, refused, deviationCount, deviations, preview } = sent;
  return {
    groupId,
    version,
    appliedForMs,
    refused: refused && { version: refused.version, faults: refused.faults },
    deviationCount,
    deviations: deviations.flatMap(({ kind, id, why, fields }) =>
      isKind(kind) && isOneOf(DEVIATIONS, why) ? [{ kind, id, why, fields }] : [],
    ),
    preview: preview && {
      version: preview.version,
      faults: preview.faults,
      changeCount: preview.changeCount,
      changes: preview.changes.flatMap(({ kind, id, change, fields }) =>
        isKind(kind) && isOneOf(CHANGES, change) ? [{ kind, id, change, fields }] : [],
      ),
    },
  };
}

const CHANGES = ['create', 'update', 'remove'] as const;

function isKind(kind: string): kind is PlanPart {
  return isOneOf(PLAN_PARTS, kind);
}

function isOneOf<Word extends string>(words: readonly Word[], word: string): word is Word {
  return words.some((known) => known === word);
}
