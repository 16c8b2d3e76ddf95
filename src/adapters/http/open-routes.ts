import type Router from '@koa/router';
import type { MachineId } from '../../domain/machine/machine-id.ts';
import type { GatewayVitals } from '../../flows/local-api/local-api-ports.ts';
import type { UnreadAnswers } from './answers/unread-answers.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { type ServedTexts, textRoutes } from './documents/text-routes.ts';
import { type MachineDeliveryOptions, machineDeliveryRoutes } from './machine-delivery/machine-delivery-routes.ts';
import type { Metrics } from './metrics.ts';
import type { PageFiles } from './page/page-files.ts';
import { pageRoutes } from './page/page-routes.ts';
import { probeRoutes } from './probes.ts';
import type { Surface } from './surface.ts';

export interface OpenRoutesOptions extends MachineDeliveryOptions {
  readonly page: PageFiles;
  readonly texts: ServedTexts;
  readonly vitals: GatewayVitals;
  readonly version: string;
  /** Whether every client may know the names of machines, as over an open broker. */
  readonly showsMachines: boolean;
  /** Whether no message of the machine came yet. */
  readonly isUnheard: (machineId: MachineId) => boolean;
}

/**
 * All routes without a key of people or programs: probes, the page, the documents, and machines with their own keys.
 */
export function openRoutes(
  options: OpenRoutesOptions,
  served: readonly Surface[],
  metrics: Pick<Metrics, 'contentType' | 'text'>,
  unread: UnreadAnswers,
): Router {
  return probeRoutes(options.vitals, metrics)
    .use(pageRoutes(options.page, unread).routes())
    .use(documentRoutes(served, options, unread).routes())
    .use(textRoutes(options.texts, unread).routes())
    .use(machineDeliveryRoutes(options).routes());
}
