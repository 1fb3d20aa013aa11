/** One's own page: sessions, password, language and theme, in a real browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { openAs, signIn } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { callConsole, newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway({ worker: false })));
after(() => gateway.stop());

/** Signs the person in from somewhere else, with a browser that says what it likes. */
async function elsewhere(email: string, userAgent: string): Promise<string> {
  const body = { email, password };
  const { headers } = await callConsole(gateway, '', 'POST', '/session', body, { 'User-Agent': userAgent });
  return headers.get('Set-Cookie')?.split(';')[0] ?? '';
}
const statusOf = async (cookie: string) => (await callConsole(gateway, cookie, 'GET', '/session')).status;

test('sessions are distinguished, what a browser calls itself is text, and others are signed out', async () => {
  const { email } = await newPerson(gateway);
  await browser.visit({ origin: gateway.url }, async (page) => {
    await signIn(page, { url: gateway.url, email, password });
    const windows = await elsewhere(email, 'Mozilla/5.0 (Windows NT 10.0; Win64) Gecko/20100101 Firefox/140.0');
    const strange = await elsewhere(email, '<img src=x> script');
    await page.goto('/console/profile');
    const sessions = page.getByRole('list', { name: 'Where you are signed in' });
    await sessions.getByText('Firefox, Windows').waitFor();
    await sessions.getByText('<img src=x> script').waitFor();
    await sessions.getByText('This browser').waitFor();
    await audited(page);
    await screenshotOf(page, 'profile-sessions-en');
    await sessions.getByRole('button', { name: /Sign out Firefox, Windows/ }).click();
    await sessions.getByText('Firefox, Windows').waitFor({ state: 'detached' });
    assert.deepEqual([await statusOf(windows), await statusOf(strange)], [401, 200]);
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out all others' }).click();
    await sessions.getByText('<img src=x> script').waitFor({ state: 'detached' });
    assert.equal(await statusOf(strange), 401);
  });
});

test('on a Chinese phone in the dark: a wrong password is reported at its field, the right one sets a new one', async () => {
  const { email } = await newPerson(gateway);
  const look = { origin: gateway.url, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' } as const;
  await browser.visit(look, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, '/console/profile');
    await page.getByLabel('当前密码').fill('not mine at all');
    await page.getByLabel('新密码').fill('another good one');
    expectAnswers(page, { status: 400, path: '/console/api/profile/password' });
    await page.getByRole('button', { name: '修改密码' }).click();
    await page.getByText('当前密码不正确。').waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'profile-password-zh-phone-dark');
    await page.getByLabel('当前密码').fill(password);
    await page.getByRole('button', { name: '修改密码' }).click();
    await page.getByText('密码已修改').waitFor();
    assert.equal(await page.getByLabel('新密码').inputValue(), '');
  });
  const typed = { email, password: 'another good one' };
  assert.equal((await callConsole(gateway, '', 'POST', '/session', typed)).status, 200);
});

test('language and theme are chosen here too', async () => {
  const { email } = await newPerson(gateway);
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, '/console/profile');
    await page.getByText('Dark', { exact: true }).click();
    await page.locator('html[data-scheme=dark]').waitFor();
    await page.getByText('中文').click();
    await page.getByRole('heading', { level: 1, name: '个人资料' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: '个人资料' }).waitFor();
    await audited(page);
  });
});
