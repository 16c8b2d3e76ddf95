import type { ApiKey } from '../../domain/plant/plant.ts';
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

  /** The panel of a browser's token, or null. */
  async find(token: string): Promise<Panel | null> {
    for (const { id, principal, keyHash } of this.#enrolled()) {
      if (await this.#options.verifySecret(keyHash, token)) return { id, name: principal };
    }
    return null;
  }

  /** Makes a browser a panel. The browser shows the token from now on. */
  async enrol(name: string): Promise<Panel & { readonly token: string }> {
    const { plant, newToken, newId, clock } = this.#options;
    const token = newToken();
    const id = `panel-${newId()}`;
    const since = new Date(clock.now().wallMs).toISOString();
    await plant.create('apiKeys', { id, principal: name, role: 'viewer', isPanel: true, since, key: token });
    return { id, name, token };
  }

  isEnrolled(panelId: string): boolean {
    return this.#enrolled().some(({ id }) => id === panelId);
  }

  #enrolled(): readonly ApiKey[] {
    return this.#options.apiKeys().filter(({ isPanel, role }) => isPanel && role === 'viewer');
  }
}
