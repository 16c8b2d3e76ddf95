import type { Calls } from './calls.ts';
import type { PageUnderTest } from './page-under-test.ts';

/** An address of each place of the page, in the plant under test. */
export const PLACES = [
  '/',
  '/stops',
  '/production',
  '/machine/RF-01',
  '/machine/RF-02/part',
  '/machine/RF-01/variables',
  '/tasks',
  '/task/T-1005',
  '/coils',
  '/coil/C-70009',
  '/orders',
  '/profiles',
  '/profile/6f2f3f36-6d0c-4a3b-9d3c-0b6f3f1d2a11',
  '/plants',
  '/plants?groups=',
  '/sync',
  '/events',
  '/admin',
  '/set-up',
  '/more',
  '/alerts',
  '/alerts/rules',
  '/alerts/who',
];

/**
 * Visits every place, and every tab of Admin, and waits in each until its calls are answered. Gives the names of the tabs.
 */
export async function visitEveryPlace(gate: PageUnderTest, calls: Calls): Promise<readonly string[]> {
  for (const place of PLACES) {
    await gate.follow(place);
    await gate.page.locator('.stage h1, .set-up h1').waitFor();
    await calls.expectQuiet();
  }
  await gate.follow('/admin');
  const tabs = gate.page.locator('.tabs .tab');
  await tabs.first().waitFor();
  for (const tab of await tabs.all()) {
    await tab.click();
    await calls.expectQuiet();
  }
  return tabs.allTextContents();
}
