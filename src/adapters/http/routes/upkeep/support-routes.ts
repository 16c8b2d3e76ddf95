import type { SupportApi } from '../../../../flows/local-api/system-ports.ts';
import { type ApiRoute, route } from '../../requests/api-route.ts';

/** The archive for a person who helps from elsewhere (contract.md, `/support-bundle`). */
export function supportRoutes(support: SupportApi): readonly ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: '/support-bundle',
      role: 'admin',
      answer: async () => ({ kind: 'archive', fileName: 'plantgate-support.tar.gz', bytes: await support.bundle() }),
    }),
  ];
}
