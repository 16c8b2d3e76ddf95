import * as Type from 'typebox';
import { isInScope, type PlantName } from '../../../domain/plant/plant-scope.ts';
import { type ApiRoute, described, get, json } from '../requests/api-route.ts';
import { text } from './shapes.ts';

const PLANT = Type.Object({ plantId: text(), name: text() }, { title: 'Plant' });

/** The plants that the caller is for (contract.md, Local API; D-108). */
export function plantListRoutes(plants: readonly PlantName[]): readonly ApiRoute[] {
  return [
    get(
      '/plants',
      'known',
      described('Lists the plants that the caller is for; a server with one plant lists that one', Type.Array(PLANT)),
      ({ identity }) => json(plants.filter(({ plantId }) => isInScope(identity.plants ?? 'all', plantId))),
    ),
  ];
}
