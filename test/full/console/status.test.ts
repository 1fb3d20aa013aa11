/** The public status page in a browser: without a sign-in, refreshed by itself, in both languages, in the dark and on a phone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { switchModel } from '../../../src/accounts/model-switches.ts';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
  const chat = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
  assert.equal((await gateway.post('/v1/chat/completions', chat)).status, 200);
  const until = new Date(Date.now() + 3_600_000);
  const note = `New weights are being loaded. ${'x'.repeat(200)}`; // breaks rather than overflows
  await switchModel(gateway.by, { model: 'sim-image', maintenance: { note, until } });
});
after(() => gateway.stop());

test('the status shows each model, follows by itself, and is linked from the sign-in page', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    expectAnswers(page, { status: 401, path: '/console/api/session' });
    await page.goto('/console/sign-in');
    await page.getByRole('link', { name: 'Service status' }).click();
    await page.getByRole('heading', { level: 1, name: 'Service status' }).waitFor();
    const painter = page.getByRole('article', { name: 'sim-image', exact: true });
    await painter.getByText('In maintenance').waitFor();
    await painter.getByText('New weights are being loaded.').waitFor();
    await painter.getByText('Expected to end on').waitFor();
    await page.getByText('Some models are in maintenance').waitFor();
    const talker = page.getByRole('article', { name: 'sim-chat', exact: true });
    await talker.getByText('Available', { exact: true }).waitFor();
    await talker.getByRole('img', { name: /^Last 24 hours: / }).waitFor();
    await audited(page);
    await screenshotOf(page, 'status-en');
    await switchModel(gateway.by, { model: 'sim-image', maintenance: null });
    await page.getByText('All models are available').waitFor({ timeout: 60_000 });
    const until = new Date(Date.now() + 3_600_000);
    await switchModel(gateway.by, { model: 'sim-image', maintenance: { note: '正在更新权重', until } });
  }));

test('the status is fit for a phone, in Chinese and in the dark', () =>
  browser.visit({ origin: gateway.url, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page) => {
    await page.goto('/status');
    const painter = page.getByRole('article', { name: 'sim-image', exact: true });
    await painter.getByText('维护中').waitFor();
    await painter.getByText(/预计 .* 结束/).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'status-zh-phone-dark');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Service status' }).waitFor();
  }));
