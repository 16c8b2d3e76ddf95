import { randomUUID } from 'node:crypto';
import { digestOfToken, newKey, newSetUpCode } from '../adapters/system/secrets.ts';
import { KeyUse } from '../flows/people/key-use.ts';
import { Panels } from '../flows/people/panels.ts';
import { Sessions } from '../flows/people/sessions.ts';
import { SetUp } from '../flows/people/set-up.ts';
import { SignIns } from '../flows/people/sign-ins.ts';
import type { Store, StoredState } from '../flows/store-ports.ts';
import type { Base } from './gateway-parts.ts';

export interface People {
  readonly people: Sessions;
  readonly signIns: SignIns;
  readonly panels: Panels;
  readonly setUp: SetUp;
  readonly keyUse: KeyUse;
}

/** People at the page: their sign-ins, panels and sessions, and the set-up of the first administrator. */
export function openPeople(
  {
    plant,
    secrets,
    limits,
    clock,
    incidents,
    store,
  }: Pick<Base, 'plant' | 'secrets' | 'limits' | 'clock' | 'incidents' | 'store'>,
  { personSessions: stored }: Pick<StoredState, 'personSessions'>,
): People {
  const users = () => plant.users();
  const apiKeys = () => plant.apiKeys();
  const { verify: verifySecret, noPasswordHash } = secrets;
  const [newToken, digestOf] = [newKey, digestOfToken];
  const panels = new Panels({ apiKeys, plant, verifySecret, newToken, newId: randomUUID, clock });
  const isEnrolled = (panelId: string) => panels.isEnrolled(panelId);
  const record: Store['record'] = (records) => store.record(records);
  const write: Store['write'] = (records) => store.write(records);
  const sessions = new Sessions({ users, isEnrolled, newToken, digestOf, clock, stored, record, write });
  const openLimit = limits.open;
  const signIns = new SignIns({
    ...{ users, sessions, verifySecret, noPasswordHash, digestOf, openLimit },
    ...{ clock, incidents },
  });
  const setUp = new SetUp({ users, plant, signIns, code: newSetUpCode() });
  return { people: sessions, signIns, panels, setUp, keyUse: new KeyUse(apiKeys, clock) };
}
