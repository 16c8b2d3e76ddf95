import * as Type from 'typebox';
import type { DeliveryFlow } from '../../../flows/library/deliver-profiles.ts';
import { type ApiRoute, get, json } from '../requests/api-route.ts';
import { ID } from './shapes.ts';

const QUERY = Type.Object({ profileId: ID }, { additionalProperties: false });

/** Explains why a profile is not on a machine, by the interface's five checks (contract.md, Local API). */
export function deliveryRoutes(deliveries: DeliveryFlow): readonly ApiRoute[] {
  return [
    get('/machines/:machineId/delivery', 'technician', QUERY, async ({ param, query }) =>
      json(await deliveries.explain(param('machineId'), query.profileId)),
    ),
  ];
}
