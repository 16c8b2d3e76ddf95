import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Program } from '../end-to-end/program.ts';
import { closeBrowser, openBrowser, shoot } from './browser.ts';

let program: Program;
beforeAll(async () => {
  program = await Program.start();
}, 60_000);
afterAll(async () => {
  await closeBrowser();
  await program.stop();
});

const manual = readFileSync(path.resolve(import.meta.dirname, '../../docs/page.md'), 'utf8');
const NEEDED = ['Chromium 109', 'Firefox 128', 'Safari 16.4'];

it('a browser that cannot run the page’s script reads which browser it needs', async () => {
  for (const browser of NEEDED) expect(manual).toContain(browser);
  const page = await (await openBrowser()).newPage();
  // A browser that does not know the script's syntax gets as far as without the script.
  await page.route('**/assets/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: 'static {' }));
  await page.goto(`http://127.0.0.1:${program.httpPort}/`);
  const text = page.locator('#old-browser');
  expect(await text.isVisible()).toBe(false);
  await text.waitFor({ state: 'visible', timeout: 15_000 });
  for (const language of ['this browser is too old', 'dieser Browser zu alt', ...NEEDED]) {
    expect(await text.textContent()).toContain(language);
  }
  await shoot(page, 'old-browser');
  await page.close();
});

it('a browser without modules reads it at once, and any other never', async () => {
  const html = (await program.get('/')).text;
  expect(html).toContain('<script nomodule src="/old-browser.js"></script>');
  expect((await program.get('/old-browser.js')).text).toContain("className = 'now'");
  const page = await (await openBrowser()).newPage();
  await page.goto(`http://127.0.0.1:${program.httpPort}/`);
  await page.locator('form, main').first().waitFor();
  expect(await page.locator('#old-browser').count()).toBe(0);
  await page.close();
});
