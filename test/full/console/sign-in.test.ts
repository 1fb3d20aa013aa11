/** Coming in: signing in, being refused, using a one-time link, and going out, in a real browser. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { invite } from '../../../src/accounts/invitations.ts';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { firstLoad } from '../../support/browser/first-load.ts';
import { signIn } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

const firstLoadBytesMax = 400_000;

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway({ worker: false })));
after(() => gateway.stop());

test('a person signs in, and out again', async () => {
  const { email } = await newPerson(gateway);
  await browser.visit({ origin: gateway.url, locale: 'en-US' }, async (page) => {
    await signIn(page, { url: gateway.url, email, password });
    assert.equal(new URL(page.url()).pathname, `/console/${gateway.account}/overview`);
    await audited(page);
    await page.getByRole('button', { name: email }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
  });
});

test('a wrong password is reported in Chinese, on a phone in the dark', async () => {
  const { email } = await newPerson(gateway);
  const look = {
    origin: gateway.url,
    locale: 'zh-CN',
    colorScheme: 'dark',
    screen: 'phone',
    expectAnswers: [401],
  } as const;
  await browser.visit(look, async (page) => {
    await page.goto('/console/sign-in');
    await page.getByLabel('邮箱').fill(email);
    await page.getByLabel('密码').fill('something else');
    await page.getByRole('button', { name: /登\s?录/ }).click();
    await page.getByRole('alert').first().waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await page.getByLabel('密码').fill(password);
    await page.getByRole('button', { name: /登\s?录/ }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await assertNoSidewaysScroll(page);
  });
});

test('an invited person chooses a password and is signed in', async () => {
  const offer = { email: 'new@example.com', account: gateway.account, role: 'member', makesOperator: false } as const;
  const { token } = await invite(gateway.by, offer);
  await browser.visit({ origin: gateway.url, locale: 'en-US' }, async (page) => {
    await page.goto(`/console/invitation#${token}`);
    const field = page.getByLabel('Password').first();
    await field.waitFor();
    await audited(page);
    await field.fill('chosen by me');
    await field.press('Enter');
    await page.getByRole('navigation').first().waitFor();
  });
});

test('the first load of the overview is below 400 kB', async () => {
  const { email } = await newPerson(gateway);
  await browser.visit({ origin: gateway.url, locale: 'en-US', expectAnswers: [401] }, async (page) => {
    await signIn(page, { url: gateway.url, email, password });
    const { bytes } = await firstLoad(page, `/console/${gateway.account}/overview`, (loaded) =>
      loaded.getByRole('heading', { level: 1 }).waitFor(),
    );
    assert.ok(bytes < firstLoadBytesMax, `${bytes} bytes`);
  });
});
