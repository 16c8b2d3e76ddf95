import type { Calls } from './calls.ts';
import type { PageUnderTest } from './page-under-test.ts';
import { PLACES } from './places.ts';

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
