import type { ApiRoute } from '../requests/api-route.ts';
import { OUTCOME_HEADER, OUTCOMES, type Surface } from '../surface-router.ts';
import type { Operation, Parameter, ResponseHeaders } from './open-api-document.ts';

/** The headers of requests and answers in the published documents (interface.md, Errors). */

const header = (description: string, schema: object = { type: 'string' }): ResponseHeaders[string] => ({
  description,
  schema,
});

/** Sentences as a JSON array in ASCII. */
const SENTENCES = { type: 'string', contentMediaType: 'application/json' };

const WARNINGS_HEADER = {
  'Plantgate-Warnings': header('Fields that were read differently, or kept without being understood (D-37)', SENTENCES),
};
const ERRORS_HEADER = {
  'Plantgate-Errors': header('The faults with their fields, for which the body has no room', SENTENCES),
};
export const RETRY_AFTER = { 'Retry-After': header('Seconds until the next try', { type: 'integer', minimum: 0 }) };
const CHANGED_HEADERS = {
  'Plantgate-Changed-By': header('The person or key that changed the record meanwhile, percent-encoded'),
  'Plantgate-Changed-At': header('The time of that change', { type: 'string', format: 'date-time' }),
};
const OUTCOME = {
  [OUTCOME_HEADER]: header(
    'unchanged: nothing was changed, here or in the legacy system. unknown: a write of the coil, this one or an earlier one, may have been carried out; the gateway finishes it by itself.',
    { type: 'string', enum: OUTCOMES },
  ),
};
const OUTCOME_STATUS_TEXT = 'Cannot be done at the moment; Plantgate-Outcome says if something was changed';

/** Statuses whose body on some surfaces has no room for the faults; those about keys have it everywhere. */
const HAS_FAULTS: ReadonlySet<string> = new Set(['400', '404', '409', '413', '415', '422']);

/** Sent with a write: it is refused if somebody else changed the record since its sender saw it (contract.md, Local API). */
export const SEEN_AGE: Parameter = {
  name: 'Plantgate-Seen-Age',
  in: 'header',
  required: false,
  description: 'Milliseconds since the sender saw the record. 409 if another person or key has changed it since.',
  schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999 },
};

/** Adds the headers of each answer, and the meaning of a 503 that says if an operation changed something. */
export function withHeaders(
  surface: Surface,
  { method, description: { hasWarnings = false } }: ApiRoute,
  responses: Operation['responses'],
): Operation['responses'] {
  const tellsOutcome = surface.tellsOutcome && method === 'POST';
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const headers = {
        ...(status === '200' && hasWarnings && WARNINGS_HEADER),
        ...(surface.errorHeaders !== undefined && HAS_FAULTS.has(status) && ERRORS_HEADER),
        ...(status === '429' && RETRY_AFTER),
        ...(status === '409' && method !== 'GET' && CHANGED_HEADERS),
        ...(status === '503' && tellsOutcome && OUTCOME),
      };
      const description = status === '503' && tellsOutcome ? OUTCOME_STATUS_TEXT : response.description;
      return [status, Object.keys(headers).length === 0 ? response : { ...response, description, headers }];
    }),
  );
}
