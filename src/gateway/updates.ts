import { type ApplyingPlaces, removeLeftovers, updateFiles } from '../adapters/update/update-files.ts';
import type { Config } from '../config/config-schema.ts';
import { errorMessage } from '../domain/error-text.ts';
import { RequestUpdate } from '../flows/update/request-update.ts';
import { after } from '../runtime/after.ts';
import { threadEntry } from '../threads.ts';
import { VERSION } from '../version.ts';
import type { Base } from './gateway-parts.ts';

/** Puts updates from the page together. A gateway that no installed service started has no places of root. */
export async function openUpdates(
  { config: { dataDir }, newId, log }: Pick<Base, 'newId' | 'log'> & { readonly config: Pick<Config, 'dataDir'> },
  applying: ApplyingPlaces | null,
): Promise<RequestUpdate> {
  const files = updateFiles({ dataDir, applying, threadEntry: threadEntry('update-thread') });
  await removeLeftovers(dataDir).catch((error: unknown) =>
    log.warn({ error: errorMessage(error) }, 'the files of an update could not be deleted'),
  );
  return new RequestUpdate({ files, version: VERSION, newId, after, log });
}
