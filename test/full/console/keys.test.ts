/** API keys in a real browser: created, used, seen at work, changed and revoked. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI, { AuthenticationError, PermissionDeniedError } from 'openai';
import type { Page } from 'playwright-core';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { openAs, signIn } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
let email: string;
before(async () => {
  gateway = await startTestGateway({ worker: false });
  ({ email } = await newPerson(gateway));
});
after(() => gateway.stop());

const keysPage = () => `/console/${gateway.account}/keys`;
async function openKeys(page: Page, as = email): Promise<void> {
  await openAs(page, { url: gateway.url, email: as, password }, keysPage());
  await page.getByRole('heading', { level: 1, name: /API/ }).waitFor();
}
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const secretIn = async (page: Page, label: string) => {
  const text = await page.getByRole('group', { name: label }).locator('code').textContent();
  return text ?? '';
};
const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
const chat = (client: OpenAI) =>
  client.chat.completions.create({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] });

test('an API key is created, used by the openai package, seen at work without reloading, and revoked', async () => {
  await browser.visit({ origin: gateway.url }, async (page) => {
    await signIn(page, { url: gateway.url, email, password });
    await page.getByRole('link', { name: 'API tokens' }).click();
    const name = 'shop <b>backend</b>';
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('radio', { name: /^Chat/ }).click();
    await page.getByRole('combobox', { name: 'Models' }).click();
    await page.getByTitle('sim-chat').click();
    await page.getByRole('combobox', { name: 'Models' }).press('Escape');
    await page.getByRole('button', { name: 'Add rate limit' }).click();
    await page.getByLabel('Calls', { exact: true }).fill('100');
    await page.getByRole('group', { name: 'Rate limits' }).getByRole('combobox').click();
    await page.getByTitle('in total').click();
    await audited(page);
    await screenshotOf(page, 'keys-create-en');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();

    const dialog = page.getByRole('dialog', { name: `Your new key “${name}”` });
    const key = await secretIn(page, 'Key');
    assert.match(key, /^sk-tg-[\w-]{43}$/);
    await dialog.getByRole('button', { name: 'Copy key' }).click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), key);
    for (const [tab, begins] of [
      ['curl', `curl '${gateway.url}/v1/chat/completions'`],
      ['Python', 'from openai import OpenAI'],
      ['Node.js', `import OpenAI from 'openai';`],
    ] as const) {
      await dialog.getByRole('tab', { name: tab }).click();
      const code = (await dialog.getByRole('region', { name: tab }).textContent()) ?? '';
      assert.ok(code.startsWith(begins) && code.includes(key) && code.includes('sim-chat'), code);
    }
    await audited(page);
    await screenshotOf(page, 'keys-made-en');
    // Nothing closes it by accident.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.evaluate('history.back()');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))');
    assert.equal(new URL(page.url()).pathname, keysPage());
    assert.equal(await secretIn(page, 'Key'), key);
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });

    const row = rowOf(page, name);
    await row.getByText('Never used').waitFor();
    assert.equal(await row.locator('b').count(), 0, 'a name is text');
    const client = clientOf(key);
    assert.match((await chat(client)).choices[0]?.message.content ?? '', /simulator/);
    await row.getByText('1 of 100 calls in total').waitFor();
    await row.getByText('Never used').waitFor({ state: 'detached' });
    await screenshotOf(page, 'keys-used-en');

    await row.getByRole('button', { name: `Revoke ${name}` }).click();
    const question = page.getByRole('dialog', { name: `Revoke “${name}”?` });
    await question.waitFor();
    await audited(page);
    await question.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await assert.rejects(chat(client), AuthenticationError);
    await page.getByText('All', { exact: true }).click();
    await row.getByText('Revoked').waitFor();
  });
});

test('a key is rotated: the new one is shown once, has its limits, and the old one works on for as long as was chosen', async () => {
  const { key } = await gateway.newKey({ name: 'rotated', callLimits: [{ calls: 100, per: 'day' }] });
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openKeys(page);
    await page.getByRole('button', { name: 'Rotate rotated' }).click();
    const question = page.getByRole('dialog', { name: 'Rotate “rotated”?' });
    await question.getByText('keeps working').waitFor();
    await audited(page);
    await question.getByRole('radio', { name: '1 hour' }).click();
    await question.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your new key “rotated”' });
    const next = await secretIn(page, 'Key');
    assert.notEqual(next, key);
    for (const each of [key, next]) await chat(clientOf(each));
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('1 of 100 calls per day').nth(1).waitFor();
    await page.getByText(/^Expires /).waitFor();
    await audited(page);
  });
});

test('a key has a page: its maker, limits with their resets, cost by day and model, and its last requests', async () => {
  const { key, keyId } = await gateway.newKey({ name: 'with a page', callLimits: [{ calls: 3, per: 'day' }] });
  for (let calls = 0; calls < 2; calls++) await chat(clientOf(key));
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openKeys(page);
    await page.getByRole('link', { name: 'with a page' }).click();
    await page.waitForURL(`**${keysPage()}/${keyId}`);
    await page.getByRole('heading', { level: 1, name: 'with a page' }).waitFor();
    await page.getByText('The first start of the gateway').waitFor();
    await page.getByText('2 of 3 calls per day').waitFor();
    await page.getByText(/^Resets /).waitFor();
    await page.getByText('All addresses').waitFor();
    await page.getByRole('table', { name: 'By model' }).getByRole('link', { name: 'sim-chat' }).waitFor();
    const requests = page.getByRole('table', { name: 'Latest requests' });
    await requests
      .getByRole('button', { name: /^Details of sim-chat/ })
      .nth(1)
      .waitFor();
    await audited(page);
    await chat(clientOf(key));
    await page.getByText('3 of 3 calls per day').waitFor();
    await requests
      .getByRole('button', { name: /^Details of sim-chat/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: 'Request' }).getByText(keyId).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit with a page' }).click();
    const addresses = page.getByRole('combobox', { name: 'Allowed IP addresses' });
    await addresses.fill('office,');
    expectAnswers(page, { status: 400, path: `/console/api/accounts/${gateway.account}/keys/${keyId}` });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').filter({ hasText: 'must be an IP address or a CIDR range' }).first().waitFor();
    await addresses.press('Backspace');
    await addresses.fill('203.0.113.7,10.1.2.3/8,');
    await audited(page);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog', { name: 'Edit with a page' }).waitFor({ state: 'detached' });
    await page.getByText('10.0.0.0/8', { exact: true }).waitFor();
    // The key is remembered for three seconds; until then its rate limit refuses the call.
    await until('the refusal of the address', () =>
      chat(clientOf(key)).then(
        () => undefined,
        (error: unknown) => (error instanceof PermissionDeniedError ? true : undefined),
      ),
    );
    await page.getByRole('link', { name: 'All requests with this key' }).click();
    await page.waitForURL(`**/requests?key=${keyId}`);
  });
});

test('the button that copies hides no end of a line of code, on a phone neither', async () => {
  await browser.visit({ origin: gateway.url, screen: 'phone' }, async (page) => {
    await openKeys(page);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('narrow');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const code = page.getByRole('region', { name: 'curl' });
    await code.evaluate('(element) => { element.scrollLeft = element.scrollWidth; }');
    const [of, button] = [await code.boundingBox(), await code.locator('xpath=../button').boundingBox()];
    assert.ok(of && button && of.x + of.width <= button.x, JSON.stringify([of, button]));
    const dialog = page.getByRole('dialog', { name: 'Your new key “narrow”' });
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
  });
});

test('a form changes the limits edited in it, and leaves alone what another tab changed meanwhile', async () => {
  const { keyId } = await gateway.newKey({ name: 'of two tabs', maxRunningTasks: 5 });
  await browser.visit({ origin: gateway.url }, async (first) => {
    await openKeys(first);
    const second = await first.context().newPage();
    await second.goto(keysPage());
    for (const tab of [first, second]) await tab.getByRole('button', { name: 'Edit of two tabs' }).click();
    await first.getByLabel('Spend limit').fill('12.5');
    await first.getByRole('button', { name: 'Save changes' }).click();
    await rowOf(first, 'of two tabs').getByText('¥0.00 of ¥12.50 per month').waitFor();
    await second.getByLabel('Max concurrent tasks').fill('9');
    await second.getByRole('button', { name: 'Save changes' }).click();
    for (const tab of [first, second]) {
      await rowOf(tab, 'of two tabs').getByText('0 of 9 concurrent tasks').waitFor();
      await rowOf(tab, 'of two tabs').getByText('¥0.00 of ¥12.50 per month').waitFor();
    }
    // One tab revokes what the other is about to change.
    await second.getByRole('button', { name: 'Edit of two tabs' }).click();
    await first.getByRole('button', { name: 'Revoke of two tabs' }).click();
    await first.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await rowOf(first, 'of two tabs').waitFor({ state: 'detached' });
    expectAnswers(second, { status: 400, path: `/console/api/accounts/${gateway.account}/keys/${keyId}` });
    await second.getByLabel('Name').fill('too late');
    await second.getByRole('button', { name: 'Save changes' }).click();
    await second.getByRole('alert').filter({ hasText: "is revoked and can't be changed" }).waitFor();
    assert.equal(await second.getByLabel('Name').inputValue(), 'too late');
  });
});

test('a session that ends in the middle of the form costs nothing that was typed', async () => {
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openKeys(page);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('typed before');
    await page.getByLabel('Max concurrent tasks').fill('7');
    expectAnswers(page, 401);
    await page.context().clearCookies();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.getByLabel('Password').fill(password);
    await audited(page);
    await again.getByRole('button', { name: 'Sign in' }).click();
    const made = page.getByRole('dialog', { name: 'Your new key “typed before”' });
    await made.getByRole('checkbox').check();
    await made.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'typed before').getByText('0 of 7 concurrent tasks').waitFor();
  });
});

test('on a Chinese phone in the dark: an expiry in the past is reported at its field, and then corrected', async () => {
  const look = { origin: gateway.url, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' } as const;
  await browser.visit(look, async (page) => {
    await openKeys(page);
    await page.getByRole('button', { name: '创建密钥' }).click();
    await page.getByLabel('名称').fill('手机上创建的密钥');
    await page.getByLabel('有效期').click();
    await page.getByTitle('指定时间…').click();
    await page.getByLabel('过期时间').fill('2020-01-31T08:00');
    await page.getByRole('dialog').getByRole('button', { name: '创建密钥' }).click();
    await page.getByText('这个时间已经过去').waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'keys-create-zh-phone-dark');
    await page.getByLabel('过期时间').fill('2099-01-31T08:00');
    await page.getByRole('dialog').getByRole('button', { name: '创建密钥' }).click();
    const made = page.getByRole('dialog', { name: '新密钥“手机上创建的密钥”' });
    await made.getByRole('checkbox').waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'keys-made-zh-phone-dark');
    await made.getByRole('checkbox').check();
    await made.getByRole('button', { name: /完\s?成/ }).click();
    await page.getByRole('listitem').filter({ hasText: '手机上创建的密钥' }).getByText('2099年1月31日').waitFor();
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'keys-list-zh-phone-dark');
  });
});

test('a member reads the list and has nothing to change it with', async () => {
  const member = await newPerson(gateway, { memberships: [{ account: gateway.account, role: 'member' }] });
  await gateway.newKey({ name: 'seen by a member' });
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openKeys(page, member.email);
    await rowOf(page, 'seen by a member').waitFor();
    await audited(page);
    assert.deepEqual(await page.locator('main').getByRole('button').allTextContents(), []);
  });
});
