import * as Type from 'typebox';
import type { SupportApi } from '../../../../flows/local-api/system-ports.ts';
import { type ApiRoute, described, route } from '../../requests/api-route.ts';

const ARCHIVE = Type.String({ contentMediaType: 'application/gzip' });

/** The archive for a person who helps from elsewhere (contract.md, `/support-bundle`). */
export function supportRoutes(support: SupportApi): readonly ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: '/support-bundle',
      role: 'admin',
      description: described('Makes a file for support from elsewhere, without secrets', ARCHIVE),
      answer: async () => ({ kind: 'archive', fileName: 'plantgate-support.tar.gz', bytes: await support.bundle() }),
    }),
  ];
}
