import { existsSync } from 'node:fs';

/** The headless shell first: the same engine without the windows of a desktop, at half the processor time. */
const BROWSERS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The path of an installed Chromium; null: none. */
export function findBrowser(): string | null {
  return BROWSERS.find((file) => existsSync(file)) ?? null;
}
