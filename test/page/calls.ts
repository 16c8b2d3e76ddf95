import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';

const QUIET_MS = 200;

/** The calls that a page makes from now on. */
export class Calls {
  /** Calls that the gateway refused because of the role. */
  readonly refused: string[] = [];
  /** Calls without an answer yet. The stream of events is left out, because it never ends. */
  readonly #open = new Set<Request>();
  #changedMs = 0;

  constructor(page: Page) {
    const end = (request: Request) => {
      if (this.#open.delete(request)) this.#changedMs = performance.now();
    };
    page.on('request', (request) => {
      if (!request.url().includes('/events')) this.#open.add(request);
    });
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    page.on('response', (response) => {
      if ([401, 403].includes(response.status())) this.refused.push(`${response.status()} ${response.url()}`);
    });
  }

  /** Waits until the page asked for nothing for a while; some places ask again after their first rendering. */
  async expectQuiet(): Promise<void> {
    const fromMs = performance.now();
    const quietMs = () => (this.#open.size > 0 ? 0 : performance.now() - Math.max(fromMs, this.#changedMs));
    await expect.poll(quietMs).toBeGreaterThan(QUIET_MS);
  }
}
