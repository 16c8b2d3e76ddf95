import * as Type from 'typebox';
import type { LocalApiFlow } from '../../../flows/local-api/local-api.ts';
import { DISMISSABLE_KINDS, type Dismissal } from '../../../flows/local-api/local-api-ports.ts';
import { jsonObject } from '../answers/send-fragments.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, empty, get, NO_QUERY, post } from '../requests/api-route.ts';

const NAME = Type.String({ minLength: 1, maxLength: LIMITS.queryTextLength });
const DISMISSAL = Type.Object(
  {
    kind: Type.Unsafe<Dismissal['kind']>({ enum: DISMISSABLE_KINDS }),
    subject: NAME,
    meantFor: Type.Optional(NAME),
  },
  { additionalProperties: false },
);

/** Reads the incidents, and dismisses a report (contract.md, `/diagnostics`; D-47). */
export function diagnosticsRoutes(api: Pick<LocalApiFlow, 'diagnostics' | 'dismiss'>): readonly ApiRoute[] {
  return [
    get('/diagnostics', 'technician', NO_QUERY, () => ({
      kind: 'fragments',
      fragments: jsonObject(api.diagnostics()),
    })),
    post('/diagnostics/dismissals', 'supervisor', DISMISSAL, ({ body }) => {
      api.dismiss(body);
      return empty(204);
    }),
  ];
}
