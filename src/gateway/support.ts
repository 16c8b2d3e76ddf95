import { SupportBundles } from '../adapters/system/support-bundles.ts';
import type { ConfigRequest } from '../config/load-config.ts';
import { CodedError } from '../domain/error.ts';
import type { SupportApi } from '../flows/local-api/system-ports.ts';
import { threadEntry } from '../threads.ts';

/** Makes support bundles as the command line would. A gateway that no program started has no configuration to look at. */
export function openSupport(request: ConfigRequest | undefined): SupportApi & { close(): Promise<void> } {
  if (request !== undefined) {
    // `process.env` is a live object, which cannot be passed to another thread, so the environment is copied.
    const plain = { ...request, environment: { ...request.environment } };
    return new SupportBundles({ threadEntry: threadEntry('support-thread'), request: plain });
  }
  const refusal = () =>
    Promise.reject(new CodedError('store-unavailable', 'this gateway was not started by the program: no bundle'));
  return { bundle: refusal, close: () => Promise.resolve() };
}
