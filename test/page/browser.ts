import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBrowser } from '../this-computer.ts';

const root = path.resolve(import.meta.dirname, '../..');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = path.join(root, 'dist/screenshots');

let browser: Browser | null = null;

/** The browser that all tests of this process share, each with a context of its own. It ends with the process. */
export async function openBrowser(): Promise<Browser> {
  if (browser?.isConnected() !== true) browser = await launchBrowser();
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
}

async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === null)
    throw new Error('the browser tests need a browser: apt-get install chromium-headless-shell');
  // Chromium has no sandbox for root, as whom CI runs.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Faults of a page that a person does not see: console errors, and requests to elsewhere. */
export class Faults {
  #found: string[] = [];

  /** From now on. */
  watch(page: Page, origin: string): void {
    page.on('pageerror', (error) => this.#found.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // Refusals that the page says in words: nobody is signed in yet (401), the legacy system is away (503).
      if (message.type() === 'error' && !/status of (401|503)/.test(message.text()))
        this.#found.push(`console: ${message.text()} ${message.location().url.replace(origin, '')}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
        this.#found.push(`to ${request.url()}`);
    });
  }

  /** Those that came by now. */
  forgive(text: string): void {
    this.#found = this.#found.filter((fault) => !fault.includes(text));
  }

  /** Those of one test are none of the next. */
  expectNone(): void {
    const found = this.#found;
    this.#found = [];
    expect(found).toEqual([]);
  }
}

/** Keeps a picture of the page for people to look at. A PNG of a large screen would cost a second of the processor. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SHOTS, `${name}.jpg`), type: 'jpeg', quality: 90 });
}

/** The tab goes to the back and comes again: the page opens its event stream again and loads everything again. */
export async function hideAndShow(page: Page, meanwhile: () => Promise<unknown> = async () => null): Promise<void> {
  await setHidden(page, true);
  await meanwhile();
  await setHidden(page, false);
}

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );
}

/** No finding of axe-core: names, roles, contrast. The text of fields can be read too. */
export async function expectAccessible(page: Page): Promise<void> {
  // Once in each document, because it costs as much as a run. By the debugger, which the page's own rules about scripts do not bind.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // All rules run; the nodes that pass are not listed.
  const findings = await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))",
  );
  expect(findings).toEqual([]);
  expect(await page.evaluate(FADED_FIELDS)).toEqual([]);
}

/** The least contrast of text by WCAG 2.2, level AA. */
const LEAST_CONTRAST = 4.5;

/**
 * A script for the page: gives the fields whose text has too little contrast, as HTML. axe-core does not examine the text
 * of fields. Each field has an opaque background of its own.
 */
const FADED_FIELDS = `(() => {
  const dot = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const luminance = (color) => {
    dot.fillStyle = color;
    dot.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...dot.getImageData(0, 0, 1, 1).data].map((part) =>
      part <= 10 ? part / 3_294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const isFaded = (field) => {
    const { color, backgroundColor } = getComputedStyle(field);
    const [darker, lighter] = [luminance(color), luminance(backgroundColor)].sort((one, other) => one - other);
    return (lighter + 0.05) / (darker + 0.05) < ${LEAST_CONTRAST};
  };
  return [...document.querySelectorAll('input:not([type=radio], [type=checkbox], [type=file]):enabled, textarea, select')]
    .filter((field) => field.checkVisibility() && isFaded(field)).map((field) => field.outerHTML);
})()`;
