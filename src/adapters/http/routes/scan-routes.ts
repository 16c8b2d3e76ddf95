import * as Type from 'typebox';
import type { FindScanned } from '../../../flows/local-api/find-scanned.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, get, json } from '../requests/api-route.ts';

const QUERY = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: LIMITS.queryTextLength }) },
  { additionalProperties: false },
);

/** The record that a code on a label names (contract.md, Local API). */
export function scanRoutes(scans: FindScanned): readonly ApiRoute[] {
  return [get('/scan', 'technician', QUERY, async ({ query }) => json(await scans.find(query.code)))];
}
