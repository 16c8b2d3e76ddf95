import { describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const [PROFILE] = PLANT.profiles;
const PLACE = `/profile/${PROFILE?.profileId}`;
const RECORD = `/profiles/${PROFILE?.profileId}`;

describe('F12 profiles', () => {
  const gate = usePage('rest');

  const stored = async (name: string) => {
    const found = await gate.business(`/profiles?name=${encodeURIComponent(name)}`);
    return (found as readonly object[])[0];
  };

  it('are made new, with bends of every type and direction', async () => {
    const page = await gate.openAgain('/profiles');
    await page.getByRole('link', { name: 'New profile' }).click();
    await gate.expectHeadline('New profile');
    await page.getByLabel('Name', { exact: true }).fill('Drip edge');
    await page.getByLabel('Category', { exact: true }).fill('Trim');
    await page.getByLabel('Subcategory').fill('Eaves');
    await page.getByLabel('Painted side').selectOption('right');
    await page.getByLabel('Catalog').selectOption('Trim');
    for (let count = 0; count < 4; count += 1) await page.getByRole('button', { name: 'Add a bend' }).click();
    await page.getByLabel('2 angle').fill('120');
    await page.getByLabel('2 direction').selectOption('right');
    await page.getByLabel('4 type').selectOption('Radius');
    await page.getByLabel('4 radius').fill('0.75');
    await page.getByLabel('6 type').selectOption('Closed hem');
    await page.getByLabel('6 direction').selectOption('right');
    await page.getByLabel('8 type').selectOption('Open hem');
    await page.getByLabel('8 height').fill('0.2');
    await page.getByLabel('10 type').selectOption('Teardrop hem');
    await page.getByLabel('10 clamp').fill('0');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add the profile' }).click();
    await page.getByText('Revision 1, by pat').waitFor();
    expect(await stored('Drip edge')).toMatchObject({
      ...{ category: 'Trim', subCategory: 'Eaves', paintedSide: 'Negative', owningCatalogId: 2, createdBy: 'pat' },
      features: [
        { type: 'Straight', length: 2 },
        { type: 'Angle', angle: -120 },
        { type: 'Straight', length: 2 },
        { type: 'Radius', angle: 90, radius: 0.75, radiusQuality: 'Medium' },
        { type: 'Straight', length: 1 },
        { type: 'ClosedHem', hemDirection: 'Negative' },
        { type: 'Straight', length: 1 },
        { type: 'OpenHem', hemDirection: 'Positive', hemHeight: 0.2 },
        { type: 'Straight', length: 1 },
        { type: 'TearDropHem', hemDirection: 'Positive', hemClampOffset: 0 },
        { type: 'Straight', length: 1 },
      ],
    });
  });

  it('are copied, and the copy is a profile of its own', async () => {
    const page = await gate.openAgain(PLACE);
    await page.getByRole('button', { name: 'Copy' }).click();
    await gate.expectHeadline('Copy of Eave trim');
    await page.getByLabel('1 length').fill('9');
    await page.getByRole('button', { name: 'Add the profile' }).click();
    await page.getByText('Revision 1, by pat').waitFor();
    expect(await stored('Copy of Eave trim')).toMatchObject({ category: 'Trim', features: [{ length: 9 }, {}, {}] });
    expect(await gate.business(RECORD)).toMatchObject({ revision: 1, features: [{ length: 3 }, {}, {}] });
  });

  it('F12 D-92 are archived, found among the archived ones, and used again', async () => {
    const page = await gate.openAgain(PLACE);
    await page.getByRole('button', { name: 'Archive' }).click();
    await gate.expectHeadline('Eave trim is archived');
    expect(await gate.business(RECORD)).toMatchObject({ archived: true });
    await gate.follow('/profiles');
    await page.getByRole('button', { name: 'Archived' }).click();
    await gate.expectHeadline('1 profile');
    await expectAccessible(page);
    await page.locator('.shape', { hasText: 'Eave trim' }).click();
    await page.getByRole('button', { name: 'Use it again' }).click();
    await gate.expectHeadline('Eave trim');
    expect(await gate.business(RECORD)).toMatchObject({ archived: false });
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await gate.expectHeadline('Eave trim');
    await gate.follow('/events');
    await page
      .getByRole('cell', { name: /Restored profile/ })
      .first()
      .waitFor();
  });

  it.each([
    ['1 length', '-2', 'A length is more than 0.'],
    ['2 angle', '180', 'An angle is between -180° and 180°.'],
    ['Name', ' ', 'A profile has a name of at most 256 characters.'],
  ])('have the fault of %s %j beside its field, which gets the focus', async (label, text, fault) => {
    const page = await gate.openAgain(PLACE);
    const field = page.getByLabel(label, { exact: true });
    await field.fill(text);
    await page.getByText(fault).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const { revision } = (await gate.business(RECORD)) as { readonly revision: number };
    await page.getByRole('button', { name: 'Save a new revision' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    expect(await gate.business(RECORD)).toMatchObject({ revision });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('are drawn with their dimensions and overall size, larger on request', async () => {
    const page = await gate.openAgain(PLACE);
    const texts = page.locator('.drawing text');
    await expect.poll(() => texts.allTextContents()).toEqual(expect.arrayContaining(['3', '4']));
    await page.getByText(/Overall \S+ × \S+ in/).waitFor();
    const widthOf = async () => (await page.locator('.drawing').boundingBox())?.width ?? 0;
    const before = await widthOf();
    await page.getByRole('button', { name: 'Larger' }).click();
    expect(await widthOf()).toBeCloseTo(2 * before, 0);
    await shoot(page, 'profile-dimensions');
  });

  it('have the decimal sign of the language in their fields', async () => {
    const page = await gate.open(PLACE, { locale: 'de-DE' });
    await page.getByLabel('1 Länge').fill('3,25');
    await page.getByRole('button', { name: 'Neuen Stand sichern' }).click();
    await expect.poll(() => gate.business(RECORD)).toMatchObject({ features: [{ length: 3.25 }, {}, {}] });
    await page.reload();
    await expect.poll(() => page.getByLabel('1 Länge').inputValue()).toBe('3,25');
  });
});

describe('F12, D-45, D-91 in a metric plant', () => {
  const gate = usePage('leave', { settings: 'page: { units: metric }\n' });

  it('sizes are read and typed in millimetres, and kept in inches', async () => {
    const page = await gate.open(PLACE);
    await expect.poll(() => page.getByLabel('1 length').inputValue()).toBe('76.2');
    await page.getByText('177.8 mm').waitFor();
    await page.getByLabel('1 length').fill('40');
    await page.getByRole('button', { name: 'Save a new revision' }).click();
    await page.getByText('Revision 2, by pat').waitFor();
    expect(await gate.business(RECORD)).toMatchObject({ features: [{ length: 1.574_803 }, {}, { length: 4 }] });
    await page.reload();
    await expect.poll(() => page.getByLabel('1 length').inputValue()).toBe('40');
  });
});
