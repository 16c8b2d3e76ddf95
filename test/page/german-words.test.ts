import { expect, it } from 'vitest';
import { usePage } from './page-under-test.ts';
import { PLACES } from './places.ts';

const gate = usePage('leave', {}, (one) => one.plantAtWork());

/** Words that stand in nearly every English sentence, and in no German one. No record of the plant under test has one. */
const ENGLISH =
  /\b(?:the|and|is|are|were|with|without|this|that|has|have|of|from|by|no|yes|nothing|please|show|all)\b/gi;
/** Names of records, which are not translated, and texts of programs. */
const RECORDS = /Alder Barns|For 3:12|plantgate\S*|https?:\S+|\S+\/\S+|mosquitto_\w+[^\n]*|\{[^\n]*\}/g;

it('F21: no place of the German page has an English sentence', { timeout: 180_000 }, async () => {
  const page = await gate.open('/', { as: 'admin', locale: 'de-DE' });
  const found: string[] = [];
  for (const place of PLACES) {
    await gate.follow(place);
    await page.locator('.stage h1, .set-up h1').waitFor();
    await page.waitForTimeout(700);
    // As it is drawn: each cell and line apart.
    const text = (await page.evaluate<string>("document.querySelector('.stage, .set-up').innerText")).replaceAll(
      RECORDS,
      '',
    );
    for (const line of text.split('\n')) {
      // One word for each thing: a machine is a Maschine, a disk a Datenträger.
      if (line.match(ENGLISH) !== null || /Anlage|Platte/.test(line)) found.push(`${place}: ${line}`);
    }
  }
  expect([...new Set(found)]).toEqual([]);
});
