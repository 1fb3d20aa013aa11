/** The account's webhook in a real browser: set, tried, and its events looked at and sent again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { openAs } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';

/** One attempt, and it is given up. */
const deliveryPace = { firstMs: 100, factor: 0, mostMs: 100, forMs: 0 };

let gateway: TestGateway;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
before(async () => {
  gateway = await startTestGateway({ deliveryPace });
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
});
after(async () => {
  await gateway.stop();
  await closeReceiver();
});

async function owner() {
  const { id: account } = await createAccount(gateway.by, 'hooked');
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }] });
  return { email, address: `/console/${account}/webhooks` };
}

test('an owner sets the webhook, tries it, sees what became of the test, and sends it again', async () => {
  const { email, address } = await owner();
  receiver.answers({ status: 500, pieces: ['{"error":"no such <b>table</b>"}'] });
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, address);
    await page.getByText('No events yet.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send test event' }).isDisabled(), true);
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/hook`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await audited(page);
    await page.getByRole('button', { name: 'Send test event' }).click();
    const row = page.getByRole('row', { name: /webhook\.test/ });
    await row.getByText('Given up').waitFor();
    await row.getByText('HTTP 500').waitFor();
    await audited(page);
    await screenshotOf(page, 'webhooks-en');

    receiver.answers({ status: 204 });
    await row.getByRole('button', { name: 'webhook.test' }).click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByRole('region', { name: 'Payload' }).getByText('"webhook.test"').waitFor();
    await drawer.getByText('Response body of attempt 1').click();
    await drawer.getByText('{"error":"no such <b>table</b>"}').waitFor();
    await screenshotOf(page, 'webhook-event-en');
    await audited(page);
    await drawer.getByRole('button', { name: 'Resend' }).click();
    await drawer.getByText('HTTP 204').waitFor();
    await drawer.getByText('Delivered').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.ant-segmented-item', { hasText: 'Given up' }).click();
    await page.getByText('No events were given up.').waitFor();

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page
      .getByRole('dialog', { name: 'Rotate the secret?' })
      .getByRole('button', { name: 'Rotate secret' })
      .click();
    const made = page.getByRole('dialog', { name: 'Webhook secret' });
    const secret = await made.getByRole('group', { name: 'Webhook secret' }).locator('code').textContent();
    assert.match(secret ?? '', /^whsec_/);
    await audited(page);
  });
});

test('on a phone, in Chinese and in the dark, the page fits, and says in Chinese what the receiver answered', async () => {
  const { email, address } = await owner();
  const look = { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' } as const;
  await browser.visit({ origin: gateway.url, ...look }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, address);
    await page.getByText('还没有事件').waitFor();
    receiver.answers({ status: 410, pieces: ['x'.repeat(2000)] });
    await page.getByLabel('Webhook 地址').fill(`${receiver.url}/hook`);
    await page.getByRole('button', { name: /^保\s?存$/ }).click();
    await page.getByRole('button', { name: '发送测试事件' }).click();
    await page.getByText('HTTP 410（接收方不再接收事件）').first().waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'webhook.test' }).click();
    await page.getByText('第 1 次尝试的响应正文').click();
    await page.getByRole('region', { name: '第 1 次尝试的响应正文' }).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
  });
});
