import type { Context, Next } from 'koa';
import { anyOf, CodedError } from '../../domain/error.ts';
import { FIRST_PLANT, isInScope, type PlantScope } from '../../domain/plant/plant-scope.ts';
import { HttpError } from './answers/error-answer.ts';
import type { Identity } from './guards/authenticator.ts';
import { LOCAL_PREFIX } from './routes/local-routes.ts';

/** `/plant/tulsa/api/v1/coils`: the plant, and the address within it. */
const CHOICE = /^\/plant\/([^/]+)(\/api\/.*)$/;

/** Takes a plant that is chosen off the beginning of the address, for everything that follows (D-108). */
export function readPlantChoice(context: Context, next: Next): Promise<unknown> {
  const [, plantId, rest] = CHOICE.exec(context.path) ?? [];
  if (plantId !== undefined && rest !== undefined) {
    context.state.chosenPlant = decodeURIComponent(plantId);
    context.path = rest;
  }
  return next();
}

/** Places below `/api/local` that belong to the whole server, whatever plant is chosen. */
const OF_SERVER = [
  'alerts',
  'clients',
  'diagnostics',
  'fleet',
  'gateways',
  'log-level',
  'panel',
  'people',
  'plant/apiKeys',
  'plant/mqttAccounts',
  'plant/users',
  'plants',
  'session',
  'settings',
  'setup',
  'support-bundle',
  'sync',
  'system',
  'update',
].map((place) => `${LOCAL_PREFIX}/${place}`);
const SYNC_PREFIX = '/api/v1/sync';

/** Places among them in which each caller acts for itself, or on gateways of its own plants. */
const OF_EVERYBODY = /^\/api\/(v1\/sync|local\/(session|setup|panel\/badge|gateways|alerts\/[^/]+\/take))(\/|$)/;

/** Whether an address is about the whole server. */
export function isOfServer(path: string): boolean {
  return isWithin(path, OF_SERVER) || isWithin(path, [SYNC_PREFIX]);
}

function isWithin(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

/** Plant files, which in the first plant may bring keys and people, and its backups, which have them. */
const OF_SERVER_IN_FIRST = ['plant/loads', 'backups'].map((place) => `${LOCAL_PREFIX}/${place}`);

/**
 * Throws `not-permitted` if a caller for some plants would change something that belongs to the whole server. `plantId` is
 * the plant in which the call is made.
 */
export function requireAllPlants(
  { method, path }: Pick<Context, 'method' | 'path'>,
  plantId: string,
  { principal, plants = 'all' }: Identity,
): void {
  if (plants === 'all' || method === 'GET' || method === 'HEAD' || OF_EVERYBODY.test(path)) return;
  const hasKeys = plantId === FIRST_PLANT && isWithin(path, OF_SERVER_IN_FIRST);
  if (!isOfServer(path) && !hasKeys) return;
  throw new CodedError(
    'not-permitted',
    `plants: ${principal} is for ${anyOf([...plants])}, and this changes the whole server: expected somebody for all plants`,
  );
}

/**
 * The plant in which a call is made: the chosen one, else the first one, else the only one of the caller. A person sees one
 * of several plants without a choice; a program that may write orders has to choose. Throws `not-found` and
 * `not-permitted`.
 */
export function plantOf(
  chosen: string | undefined,
  { principal, plants = 'all' }: Identity,
  { path, plantIds }: { readonly path: string; readonly plantIds: readonly string[] },
): string {
  const own = plantIds.filter((plantId) => isInScope(plants, plantId));
  if (chosen !== undefined) return chosenPlant(chosen, { principal, plants, own, plantIds });
  if (own.includes(FIRST_PLANT)) return FIRST_PLANT;
  const [only, ...others] = own;
  if (only === undefined) {
    throw new CodedError('not-permitted', `plants: ${principal} is for no plant of this server`);
  }
  if (others.length === 0 || path.startsWith(LOCAL_PREFIX)) return only;
  const places = anyOf(own.map((plantId) => `/plant/${plantId}`));
  throw new HttpError(400, `plant: found none, and ${principal} is for several: put ${places} in front of /api`);
}

interface Choice {
  readonly principal: string;
  readonly plants: PlantScope;
  readonly own: readonly string[];
  readonly plantIds: readonly string[];
}

function chosenPlant(chosen: string, { principal, plants, own, plantIds }: Choice): string {
  if (own.includes(chosen)) return chosen;
  if (plants === 'all') throw new CodedError('not-found', `plant: found ${chosen}, expected ${anyOf(plantIds)}`);
  throw new CodedError('not-permitted', `plant: found ${chosen}, expected one of ${principal}: ${anyOf([...plants])}`);
}
