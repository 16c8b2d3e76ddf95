import { expect, it } from 'vitest';
import { usePage } from './page-under-test.ts';

const gate = usePage('leave', { environment: { PLANTGATE_PAGE_OPEN_ANDON: 'true' } });

it('page.openAndon: a wall without a keyboard shows Andon once the gateway answers', async () => {
  const page = await gate.visit('/healthz');
  await page.route('**/api/local/setup', (route) => route.fulfill({ status: 503, json: { errors: ['it starts'] } }), {
    times: 1,
  });
  await page.goto(gate.origin);
  await gate.expectHeadline('No machine needs a person');
});

it('page.openAndon: machines that are added and removed come and go without a sign-in', async () => {
  const page = await gate.visit('/');
  await gate.expectHeadline('No machine needs a person');
  const machine = { machineId: 'RF-09', name: 'Gutter line 1', topicRoot: 'plant1/rollformer-9' };
  expect((await gate.program.api('POST', '/plant/machines', machine)).status).toBe(201);
  await page.getByText('Gutter line 1').first().waitFor();
  expect((await gate.program.api('DELETE', '/plant/machines/RF-09')).status).toBe(204);
  await expect.poll(() => page.getByText('Gutter line 1').count()).toBe(0);
});

it('page.openAndon: Andon is live without a sign-in, and a person can sign in there', async () => {
  const page = await gate.visit('/');
  await gate.expectHeadline('No machine needs a person');
  await gate.plantAtWork();
  await expect.poll(() => gate.headline()).toContain('need a person');
  await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).first().click();
  await gate.expectHeadline('Who is there?');
  await gate.signIn();
  await page.getByRole('link', { name: 'Signed in as pat' }).first().click();
  await page.getByRole('button', { name: 'Sign out pat' }).click();
});
