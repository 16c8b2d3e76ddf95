import type { Page, Request, Route } from 'playwright-core';
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

type FulfilOptions = Parameters<Route['fulfill']>[0];

/** A slow line: the gateway does what it is asked for at once, and each answer waits until the test lets it go. */
export class HeldAnswers {
  readonly #held: { readonly url: string; readonly letGo: () => void }[] = [];

  /** `instead` replaces the gateway's answer. */
  static async of(page: Page, url: string | RegExp, instead?: FulfilOptions): Promise<HeldAnswers> {
    const answers = new HeldAnswers();
    await page.route(url, (route) => answers.#hold(route, instead));
    return answers;
  }

  async #hold(route: Route, instead?: FulfilOptions): Promise<void> {
    const response = await route.fetch();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.push({ url: route.request().url(), letGo: resolve });
    await promise;
    await route.fulfill({ response, ...instead });
  }

  /** The number of calls that the gateway has answered. */
  get count(): number {
    return this.#held.length;
  }

  /** Waits until the gateway has answered a call. The page may make more of them, for example after an event. */
  async waitForFirst(): Promise<void> {
    await expect.poll(() => this.count).toBeGreaterThan(0);
  }

  /** Waits for the first answer to a call whose address ends like this, and lets it go; the page has drawn it then. */
  async letGo(page: Page, end = ''): Promise<void> {
    const find = () => this.#held.findIndex(({ url }) => decodeURIComponent(url).endsWith(end));
    await expect.poll(find).not.toBe(-1);
    await this.#letGo(page, find());
  }

  /** Lets the last answer go that is there. */
  async letLastGo(page: Page): Promise<void> {
    await this.#letGo(page, this.count - 1);
  }

  async #letGo(page: Page, place: number): Promise<void> {
    const [held] = this.#held.splice(place, 1);
    const answered = page.waitForEvent('requestfinished', (request) => request.url() === held?.url);
    held?.letGo();
    await answered;
    await drawn(page);
  }
}

/** The page has read its last answers, and drawn them. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => setTimeout(resolve)), 50))',
  );
}
