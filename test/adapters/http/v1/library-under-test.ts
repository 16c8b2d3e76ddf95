import { EMPTY_PLANT } from '../../../../src/domain/plant/plant-entry.ts';
import { type GatewayUnderTest, keyOf, machineOf, startGateway } from '../gateway-under-test.ts';

/** A gateway whose plant has catalogs, and machines that fetch from them. */

export const CATALOGS = [
  { catalogId: 1, name: 'Standard', default: true },
  { catalogId: 2, name: 'Trim' },
  { catalogId: 3, name: 'trim' },
];

export const STRAIGHT = { type: 'Straight', length: 2 };
export const ANGLE = { type: 'Angle', angle: 90 };

export function profileOf(changes: object = {}): object {
  return { profileName: 'Drip edge', features: [STRAIGHT, ANGLE, STRAIGHT], ...changes };
}

export type LibraryUnderTest = Awaited<ReturnType<typeof startLibrary>>;

export async function startLibrary() {
  const gateway: GatewayUnderTest = await startGateway();
  const machines = [1, 2].map((number) => ({
    ...machineOf(`RF-0${number}`),
    serialNumber: `SN-0${number}`,
    registrationKey: `reg:secret-${number}`,
    catalogs: [number],
  }));
  await gateway.plant.applyFile({ ...EMPTY_PLANT, catalogs: CATALOGS, machines });
  const business = (method: string, path: string, body?: unknown) =>
    gateway.as(keyOf('business'), method, `/api/v1${path}`, body);
  return {
    ...gateway,
    business,
    /** Creates a profile; gives the answered profile. */
    create: async (changes: object = {}) => {
      const { status, body } = await business('POST', '/profiles', profileOf(changes));
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body as { readonly profileId: string; readonly revision: number };
    },
    /** The answer to a machine that sends these credentials. */
    fetch: (credentials: string, query = '') =>
      gateway.call('GET', `/api/machine/profiles${query}`, undefined, {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      }),
    /** Changes a machine of the plant. */
    setMachine: async (machineId: string, change: object) => {
      const machine = await gateway.plant.get('machines', machineId);
      await gateway.plant.put('machines', machineId, { ...machine, ...change });
    },
  };
}
