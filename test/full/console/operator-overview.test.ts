/** Operators' first page and their lists of all tasks and webhook events, in a browser: figures lead to lists, events are sent again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { changeAccount, createAccount } from '../../../src/accounts/accounts.ts';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { moveTo, openAs } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';

/** One attempt, and it is given up. */
const deliveryPace = { firstMs: 100, factor: 0, mostMs: 100, forMs: 0 };
const operator = 'operator@example.com';

let gateway: TestGateway;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
before(async () => {
  gateway = await startTestGateway({ deliveryPace });
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
  await newPerson(gateway, { email: operator, memberships: [], isOperator: true });
  const headers = { Authorization: `Bearer ${gateway.key}`, Prefer: 'wait=0' };
  const chat = { model: 'sim-chat', messages: [{ role: 'user', content: 'How long is a toll road?' }] };
  assert.equal((await gateway.post('/v1/chat/completions', chat)).status, 200);
  assert.equal((await gateway.post('/v1/chat/completions', { ...chat, model: 'none' })).status, 404);
  for (const prompt of ['A toll gate', '[sim:fail=the brush broke]']) {
    const { body } = await gateway.post(
      '/v1/images/generations',
      { model: 'sim-image', prompt, size: '1024x1024' },
      headers,
    );
    await gateway.finished(`/v1/images/generations/${String(body['id'])}`);
  }
  receiver.answers({ status: 500 });
  const client = await signedIn(gateway, { memberships: [], isOperator: true });
  for (const name of ['first', 'second']) {
    const { id } = await createAccount(gateway.by, name);
    await changeAccount(gateway.by, id, { webhookUrl: `${receiver.url}/hook` });
    const { body } = await client.call('POST', `/accounts/${id}/webhook/test`);
    await until('the end of the event', async () => {
      const { body: event } = await client.get(`/accounts/${id}/events/${String(body['event'])}`);
      return event['delivered'] === false ? true : undefined;
    });
  }
});
after(async () => {
  await gateway.stop();
  await closeReceiver();
});

const open = async (page: Page, path: string) => {
  await openAs(page, { url: gateway.url, email: operator, password }, path);
};

test('an operator without an account begins at the overview, whose figures lead to what they count', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await open(page, '/console/');
    await page.getByRole('heading', { level: 1, name: 'Overview of all accounts' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/console/operator/overview');
    await page.getByRole('table', { name: 'Top accounts by revenue, last 30 days' }).getByText('test').waitFor();
    await page.getByText('No audit yet').waitFor();
    await page.getByText('50% failed (1 of 2)').first().waitFor();
    await page.getByText('Show as a table').click();
    await audited(page);
    await screenshotOf(page, 'operator-overview-en');
    await page.getByRole('region', { name: 'Request errors' }).getByRole('link', { name: 'model_not_found' }).click();
    await page.getByRole('heading', { level: 1, name: /requests/i }).waitFor();
    await page.getByRole('row').filter({ hasText: 'model_not_found' }).waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Failed tasks' }).getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks of all accounts' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'the brush broke' }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
  }));

test('tasks of all accounts are found by their filters, and each leads to its page', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await open(page, '/console/operator/tasks');
    const link = page.getByRole('link', { name: 'A toll gate' });
    await link.waitFor();
    await audited(page);
    await screenshotOf(page, 'operator-tasks-en');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.locator('.ant-select-item-option', { hasText: 'Failed' }).click();
    await link.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'the brush broke' }).locator('code').waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Provider', { exact: true }).fill('elsewhere');
    await page.getByLabel('Provider', { exact: true }).press('Enter');
    await page.getByText('No tasks match these filters.').waitFor();
    await page.getByText('search the last 31 days').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await link.click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  }));

test('events that were given up are looked at and sent again, one and together', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await open(page, '/console/operator/webhooks?status=failed');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('first').getByText('HTTP 500').waitFor();
    await row('second').getByText('Given up').waitFor();
    await audited(page);
    await screenshotOf(page, 'operator-webhooks-en');
    receiver.answers({ status: 204 });
    await row('first').getByRole('button', { name: 'webhook.test' }).click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByRole('region', { name: 'Payload' }).getByText('"webhook.test"').waitFor();
    await drawer.getByRole('button', { name: 'Resend' }).click();
    await drawer.getByText('HTTP 204').waitFor();
    await page.keyboard.press('Escape');
    await row('first').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resend all' }).click();
    const question = page.getByRole('dialog', { name: 'Resend the given-up events?' });
    await question.getByRole('button', { name: 'Resend all' }).click();
    await page.getByText('1 event is being resent.').waitFor();
    await page.getByText('No events match these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row('second').getByText('Delivered').waitFor();
  }));

test('a provider shows how its calls went, by model', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await open(page, '/console/operator/providers');
    const table = page.getByRole('table', { name: 'Calls to simulator by model in the last 24 hours' });
    await table.getByRole('row').filter({ hasText: 'sim-chat' }).getByText('100%').waitFor();
    await audited(page);
    await table.getByRole('link', { name: 'sim-chat' }).click();
    await page.getByRole('row').filter({ hasText: 'sim-chat' }).waitFor();
  }));

test('on a phone, in Chinese and in the dark, the pages fit', () =>
  browser.visit({ origin: gateway.url, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page) => {
    await open(page, '/console/operator/accounts');
    for (const [path, text] of [
      ['overview', '最近 30 天收入最高的账户'],
      ['tasks', 'A toll gate'],
      ['webhooks', 'webhook.test'],
      ['providers', '延迟中位数'],
    ] as const) {
      await moveTo(page, `/console/operator/${path}`);
      await page.getByText(text).first().waitFor();
      await audited(page);
      await assertNoSidewaysScroll(page);
    }
  }));
