import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { expectAccessible, openBrowser } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';
import { PLACES } from './places.ts';

const ROLES = ['viewer', 'technician', 'supervisor', 'admin'] as const;
const FOR_ADMINISTRATORS = ['People', 'Keys', 'Shifts and server', 'Backup'];

let browser: Browser;
let gate: PageUnderTest;

beforeAll(async () => {
  browser = await openBrowser();
  const users = ROLES.map((role) => ({ name: role, role, password: 'rolls and coils' }));
  gate = await PageUnderTest.start(browser, { plant: JSON.stringify({ ...PLANT, users }) });
  await gate.plantAtWork();
});
afterEach(() => gate.leave());
afterAll(async () => {
  await gate.end();
  await browser.close();
});

interface Calls {
  /** Calls that the gateway refused because of the role. */
  readonly refused: readonly string[];
  /** Calls without an answer yet. The stream of events is left out, because it never ends. */
  readonly open: ReadonlySet<Request>;
}

function watchCalls(page: Page): Calls {
  const refused: string[] = [];
  const open = new Set<Request>();
  page.on('request', (request) => {
    if (!request.url().includes('/events')) open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  page.on('response', (response) => {
    if ([401, 403].includes(response.status())) refused.push(`${response.status()} ${response.url()}`);
  });
  return { refused, open };
}

/** Waits until the place asks for nothing more; some ask again after their first rendering. */
async function expectQuiet(page: Page, calls: Calls): Promise<void> {
  await page.waitForTimeout(200);
  await expect.poll(() => calls.open.size).toBe(0);
}

it.each(ROLES)('as %s the page makes no call by itself that is refused, in any place', async (role) => {
  await gate.open('/', { as: role });
  const { page, origin } = gate;
  const calls = watchCalls(page);
  for (const place of PLACES) {
    await page.goto(`${origin}${place}`);
    await page.locator('.stage h1, .set-up h1').waitFor();
    await expectQuiet(page, calls);
  }
  await page.goto(`${origin}/admin`);
  const tabs = page.locator('.tabs .tab');
  await tabs.first().waitFor();
  for (const tab of await tabs.all()) {
    await tab.click();
    await expectQuiet(page, calls);
  }
  const names = await tabs.allTextContents();
  expect(names.filter((name) => FOR_ADMINISTRATORS.includes(name))).toEqual(role === 'admin' ? FOR_ADMINISTRATORS : []);
  expect(calls.refused).toEqual([]);
});

it('says to a technician that the set-up is for administrators', async () => {
  await gate.open('/', { as: 'technician' });
  await gate.page.goto(`${gate.origin}/set-up`);
  await gate.page.getByText('Only administrators see and change this.').waitFor();
  await expectAccessible(gate.page);
});
