import type { ApiKey } from '../../domain/plant/plant.ts';
import { type PlantScope, plantScope } from '../../domain/plant/plant-scope.ts';
import type { Plant } from '../plant/plant.ts';
import type { Clock, SecretVerifier } from '../ports.ts';
import type { Panel } from './people-ports.ts';

export interface PanelsOptions {
  readonly apiKeys: () => readonly ApiKey[];
  readonly plant: Pick<Plant, 'create'>;
  readonly verifySecret: SecretVerifier;
  readonly newToken: () => string;
  readonly newId: () => string;
  readonly clock: Clock;
}

/** Enrolled panels. Each is a viewer's key that the browser keeps: listed, audited and revoked like all keys. */
export class Panels {
  readonly #options: PanelsOptions;

  constructor(options: PanelsOptions) {
    this.#options = options;
  }

  /** The panel of a browser's token, with the plants that it shows, or null. */
  async find(token: string): Promise<(Panel & { readonly plants: PlantScope }) | null> {
    for (const key of this.#enrolled()) {
      if (!(await this.#options.verifySecret(key.keyHash, token))) continue;
      return { id: key.id, name: key.principal, plants: plantScope(key) };
    }
    return null;
  }

  /** Makes a browser a panel of some plants. The browser shows the token from now on. */
  async enrol(name: string, plants?: readonly string[]): Promise<Panel & { readonly token: string }> {
    const { plant, newToken, newId, clock } = this.#options;
    const token = newToken();
    const id = `panel-${newId()}`;
    const since = new Date(clock.now().wallMs).toISOString();
    const record = { id, principal: name, role: 'viewer', isPanel: true, since, key: token } as const;
    await plant.create('apiKeys', plants === undefined ? record : { ...record, plants });
    return { id, name, token };
  }

  isEnrolled(panelId: string): boolean {
    return this.#enrolled().some(({ id }) => id === panelId);
  }

  #enrolled(): readonly ApiKey[] {
    return this.#options.apiKeys().filter(({ isPanel, role }) => isPanel && role === 'viewer');
  }
}
