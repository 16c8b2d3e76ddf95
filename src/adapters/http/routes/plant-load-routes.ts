import * as Type from 'typebox';
import { anyOf, CodedError, type Fault, faultText, foundText, invalidInput } from '../../../domain/error.ts';
import { type EntryKind, FILE_KINDS } from '../../../domain/plant/plant-entry.ts';
import type { PlantLoadFlow } from '../../../flows/plant/plant-load-flow.ts';
import { requireRole } from '../guards/authenticator.ts';
import { LIMITS } from '../limits.ts';
import { type ApiAnswer, type ApiRoute, described, empty, json, post, remove, route } from '../requests/api-route.ts';
import { parseBody } from '../requests/request-bodies.ts';
import { writeRoleOf } from './plant-routes.ts';
import { record } from './shapes.ts';

const LOADS = '/plant/loads';
const LOAD = `${LOADS}/:loadId`;
const RECORDS = Type.Array(Type.Object({}, { additionalProperties: true }));
/** One order a line, so that orders are separated without parsing: an order may be megabytes. */
const ORDER_LINES = Type.Object({}, { additionalProperties: true });
const FINISH = Type.Object({ dryRun: Type.Boolean() }, { additionalProperties: false });

/**
 * A plant file in pieces, applied as one (`plantgate apply`): begun, filled kind by kind with lists of records (orders:
 * one a line), finished. Its faults are in `errors` as everywhere, and in `faults` with their positions in the file.
 */
export function plantLoadRoutes(loads: PlantLoadFlow): readonly ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: LOADS,
      role: 'supervisor',
      description: described('Begins a load of plant records', record('PlantLoad', 'loadId'), 201),
      answer: () => json({ loadId: loads.begin() }, 201),
    }),
    route({
      method: 'POST',
      path: `${LOAD}/records/orders`,
      role: 'supervisor',
      body: ORDER_LINES,
      isBodyText: true,
      maxBodyBytes: LIMITS.orderBodyBytes,
      description: described('Adds orders to a load', null, 204),
      answer: ({ param, body }) =>
        located(async () => {
          const lines = String(body).split('\n');
          loads.addOrders(
            param('loadId'),
            lines.filter((line) => line !== ''),
          );
          return empty(204);
        }),
    }),
    route({
      method: 'POST',
      path: `${LOAD}/records/:kind`,
      role: 'supervisor',
      body: RECORDS,
      isBodyText: true,
      maxBodyBytes: LIMITS.loadPieceBytes,
      description: described('Adds records of a kind to a load', null, 204),
      answer: ({ param, body, identity }) =>
        located(async () => {
          const kind = kindOf(param('kind'));
          requireRole(identity, kind === 'profiles' ? 'supervisor' : writeRoleOf(kind), false);
          const text = String(body);
          await loads.add(param('loadId'), kind, recordsOf(text), text.length);
          return empty(204);
        }),
    }),
    post(
      `${LOAD}/finish`,
      'supervisor',
      FINISH,
      described(
        'Applies a load, all or nothing, or says what it would change',
        record('PlantDifference', 'what it added and changed'),
      ),
      ({ param, body, identity }) =>
        located(async () => json(await loads.finish(param('loadId'), body.dryRun, identity.principal))),
    ),
    remove(LOAD, 'supervisor', described('Gives a load up', null, 204), ({ param }) => {
      loads.discard(param('loadId'));
      return empty(204);
    }),
  ];
}

function kindOf(name: string): EntryKind {
  const kind = FILE_KINDS.find((known) => known === name);
  if (kind !== undefined && kind !== 'orders') return kind;
  throw new CodedError('not-found', `kind: found ${foundText(name)}, expected ${anyOf(FILE_KINDS)}`);
}

function recordsOf(text: string): readonly unknown[] {
  const records = parseBody(text, LIMITS.loadPieceValues);
  if (Array.isArray(records)) return records;
  throw invalidInput([{ path: 'body', found: foundText(records), expected: 'a list of records' }]);
}

async function located(answer: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'invalid-input') throw error;
    return json({ errors: error.faults.map(faultText), faults: error.faults.map(plain) }, 400);
  }
}

function plain({ path, found, expected, sentence }: Fault): Fault {
  return { path, found, expected, ...(sentence !== undefined && { sentence }) };
}
