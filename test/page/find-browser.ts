import { existsSync } from 'node:fs';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of an installed Chromium; null: none. */
export function findBrowser(): string | null {
  return BROWSERS.find((file) => existsSync(file)) ?? null;
}
