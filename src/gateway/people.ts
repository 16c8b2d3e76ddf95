import { digestOfToken, newKey, newSetUpCode, type Secrets } from '../adapters/system/secrets.ts';
import { Sessions } from '../flows/people/sessions.ts';
import { SetUp } from '../flows/people/set-up.ts';
import type { PlantRecords } from '../flows/plant/plant-record-ports.ts';
import type { PlantView } from '../flows/plant/plant-view.ts';
import type { Clock, Incidents } from '../flows/ports.ts';

export interface PeopleBase {
  readonly plant: Pick<PlantView, 'users'> & Pick<PlantRecords, 'create'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

export interface People {
  readonly people: Sessions;
  readonly setUp: SetUp;
}

/** People at the page: who may sign in, who is signed in, and how the first comes in. */
export function openPeople({ plant, secrets, clock, incidents }: PeopleBase): People {
  const users = () => plant.users();
  const people = new Sessions({
    users,
    verifySecret: secrets.verify,
    noPasswordHash: secrets.noPasswordHash,
    newToken: newKey,
    digestOf: digestOfToken,
    clock,
    incidents,
  });
  return { people, setUp: new SetUp({ users, plant, sessions: people, code: newSetUpCode() }) };
}
