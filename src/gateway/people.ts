import { digestOfToken, newKey, type Secrets } from '../adapters/system/secrets.ts';
import { Sessions } from '../flows/people/sessions.ts';
import type { PlantView } from '../flows/plant/plant-view.ts';
import type { Clock, Incidents } from '../flows/ports.ts';

export interface PeopleBase {
  readonly plant: Pick<PlantView, 'users'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/** People at the page: who may sign in, and who is signed in. */
export function openPeople({ plant, secrets, clock, incidents }: PeopleBase): Sessions {
  return new Sessions({
    users: () => plant.users(),
    verifySecret: secrets.verify,
    noPasswordHash: secrets.noPasswordHash,
    newToken: newKey,
    digestOf: digestOfToken,
    clock,
    incidents,
  });
}
