/** The catalogue in a browser, and what operators switch of it under the eyes of others; how the providers do. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { openAs } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

const route = '{ provider: main, model: upstream-name }';
const configuration = `
providers:
  main: { kind: simulator, max_concurrent: 40, max_per_second: 5 }
  talks: { kind: openai, base_url: 'http://127.0.0.1:9/v1', api_key: sk-of-the-operator }
models:
  - { id: talker, kind: chat, owned_by: us, capabilities: [chat, vision, tools], routes: [${route}, { provider: talks, model: gpt }], price: { input_per_million: 2, output_per_million: 8, cached_input_per_million: 0.5, minimum: 0.01 }, limits: { context_tokens: 128000, max_output_tokens: 4096 } }
  - { id: small-one, kind: chat, owned_by: us, routes: [${route}], price: { input_per_million: 0.5, output_per_million: 2 }, limits: { context_tokens: 32000 } }
  - { id: vendor/painter-1.5, kind: image, owned_by: vendor, routes: [${route}], price: { per_image: 0.2, by_size: { 2k: 0.4, 1024x1536: 0.3 } }, limits: { prompt_characters: 800, resolutions: [1k, 2k] } }
  - { id: <b>bold</b>&amp, kind: image, owned_by: <i>us</i>, routes: [${route}], price: { per_image: 1, by_quality: { low: 0.5 } } }
  - { id: clip, kind: video, owned_by: us, routes: [${route}], price: { per_second: 0.1, by_resolution: { 1080p: 0.25 } }, limits: { durations: [5, 10] } }
  - { id: hidden, kind: avatar-talk, owned_by: us, published: false, routes: [${route}], price: { per_second: 1 } }
`;
const without = (id: string) => configuration.replace(new RegExp(` {2}- \\{ id: ${id}.*\n`), '');

let gateway: TestGateway;
let owner: string;
let operator: string;
before(async () => {
  gateway = await startTestGateway({ configuration });
  owner = (await newPerson(gateway)).email;
  operator = (await newPerson(gateway, { email: 'operator@example.com', memberships: [], isOperator: true })).email;
});
after(() => gateway.stop());

async function goTo(page: Page, email: string, path: string): Promise<void> {
  await openAs(page, { url: gateway.url, email, password }, path);
  await page.getByRole('article').first().waitFor();
}
const modelsOf = () => `/console/${gateway.account}/models`;
const tablePath = '/console/operator/models';
async function goToTable(page: Page): Promise<void> {
  await openAs(page, { url: gateway.url, email: operator, password }, tablePath);
  await page.getByRole('table').waitFor();
}
const row = (page: Page, id: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader').filter({ hasText: id }) });
const card = (page: Page, id: string) => page.getByRole('article', { name: id, exact: true });

/** Does what a button says, once the dialog has asked for a reason. */
async function confirmed(page: Page, button: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await reasoned(page, button, reason);
}

async function reasoned(page: Page, button: string, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: button.split(':')[0] ?? '', exact: true }).click();
}

test('models are a table in order of their price, and two are compared side by side', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await goTo(page, owner, modelsOf());
    await page.getByText('Table', { exact: true }).click();
    const table = page.getByRole('table', { name: 'Models' });
    const names = table.locator('tbody th code');
    await names.first().waitFor();
    await table.getByRole('button', { name: 'Input price' }).click();
    await page.waitForURL(/sort=input/);
    await names.first().filter({ hasText: 'small-one' }).waitFor();
    assert.deepEqual((await names.allTextContents()).slice(0, 2), ['small-one', 'talker']);
    await table.getByRole('button', { name: 'Context' }).click();
    await table.getByRole('button', { name: 'Context' }).click();
    await page.waitForURL(/sort=-context/);
    await names.first().filter({ hasText: 'talker' }).waitFor();
    assert.deepEqual((await names.allTextContents()).slice(0, 2), ['talker', 'small-one']);
    await audited(page);
    const compare = page.getByRole('button', { name: /^Compare/ });
    await table.getByRole('checkbox', { name: 'Choose talker to compare' }).click();
    await page.getByRole('button', { name: 'Compare (1)' }).waitFor();
    assert.equal(await compare.isDisabled(), true);
    await table.getByRole('checkbox', { name: 'Choose small-one to compare' }).click();
    await page.getByRole('button', { name: 'Compare (2)' }).waitFor();
    await compare.click();
    const compared = page.getByRole('table', { name: 'Comparison' });
    await compared.getByRole('row', { name: /^Context 128,000 32,000$/ }).waitFor();
    await compared.getByRole('row', { name: /^Cached input .* ¥0\.50 –$/ }).waitFor();
    await audited(page);
    await page.reload();
    await compared.waitFor();
    await page.getByRole('button', { name: 'Close the comparison' }).click();
    await compared.waitFor({ state: 'detached' });
  }));

test('an operator puts a model in maintenance with a note and an end, and the page of an owner shows it by itself', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await goTo(page, owner, modelsOf());
    const seen = card(page, 'vendor/painter-1.5');
    await seen.getByText('Available', { exact: true }).waitFor();
    assert.match(await seen.innerText(), /2k, per image\s+¥0\.40[\s\S]*Other sizes, per image\s+¥0\.20/);
    assert.equal(await card(page, 'hidden').count(), 0);
    // Markup is text.
    assert.equal(await page.getByRole('heading', { name: '<b>bold</b>&amp', exact: true }).count(), 1);
    const link = card(page, '<b>bold</b>&amp').getByRole('link', { name: 'Try it' });
    assert.match((await link.getAttribute('href')) ?? '', /\/playground\/image\?model=%3Cb%3Ebold%3C%2Fb%3E%26amp$/);
    await seen.getByRole('button', { name: 'Copy ID vendor/painter-1.5' }).click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'vendor/painter-1.5');
    await audited(page);
    await screenshotOf(page, 'models-owner-en');

    await browser.visit({ origin: gateway.url }, async (desk) => {
      await goToTable(desk);
      await row(desk, 'hidden').getByText('Not published').waitFor();
      assert.match(await row(desk, 'talker').innerText(), /main\s+upstream-name\s+talks\s+gpt/);
      await desk.getByRole('button', { name: 'Start maintenance: vendor/painter-1.5' }).click();
      const dialog = desk.getByRole('dialog');
      await dialog.getByText('rejected with 503 and a Retry-After').waitFor();
      await dialog.getByLabel('Public note').fill('New weights are being loaded.');
      await dialog.getByLabel('Ends at').fill('2001-01-01T00:00');
      await dialog.getByLabel('Reason').fill('the upstream moves');
      await dialog.getByRole('button', { name: 'Start maintenance', exact: true }).click();
      await dialog.getByText('Choose a time in the future.').waitFor();
      await audited(desk);
      await dialog.getByLabel('Ends at').fill('2999-06-01T00:00');
      await dialog.getByRole('button', { name: 'Start maintenance', exact: true }).click();
      await row(desk, 'vendor/painter-1.5').getByText('set by operator@example.com').waitFor();
      await row(desk, 'vendor/painter-1.5').getByText('New weights are being loaded.').waitFor();
      await audited(desk);
      await screenshotOf(desk, 'operator-models-en');
      // This page has not been touched.
      await seen.getByText('In maintenance').waitFor();
      await seen.getByText('New weights are being loaded.').waitFor();
      await seen.getByText(/^Until .*2999/).waitFor();
      assert.equal(await seen.getByText('the upstream moves').count(), 0);
      assert.equal(await seen.getByRole('link', { name: 'Try it' }).count(), 0);
      await confirmed(desk, 'Reset to config: vendor/painter-1.5', 'it is there again');
      await seen.getByText('Available', { exact: true }).waitFor();
      await confirmed(desk, 'Publish: hidden', 'it is ready');
      await card(page, 'hidden').waitFor();
      await confirmed(desk, 'Reset to config: hidden', 'not yet');
      await card(page, 'hidden').waitFor({ state: 'detached' });
    });
  }));

test("an operator's cards are those of customers, and the table is searched and filtered", () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await goTo(page, operator, modelsOf());
    assert.equal(await page.getByRole('button', { name: /maintenance|publish/i }).count(), 0);
    assert.equal(await card(page, 'hidden').count(), 0);
    await page.goto(tablePath);
    await row(page, 'talker').waitFor();
    await page.getByRole('searchbox', { name: 'Search models' }).fill('talks');
    await row(page, 'clip').waitFor({ state: 'detached' });
    assert.equal(await row(page, 'talker').count(), 1);
    await page.getByRole('searchbox', { name: 'Search models' }).fill('nothing is called so');
    await page.getByText('No models match.').waitFor();
    await page.getByRole('searchbox', { name: 'Search models' }).fill('');
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Not published' }).or(page.getByTitle('Not published')).last().click();
    await row(page, 'talker').waitFor({ state: 'detached' });
    assert.equal(await row(page, 'hidden').count(), 1);
  }));

test('a model removed from the config file meanwhile is reported, and its leftover switches can be removed', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await goToTable(page);
    await confirmed(page, 'Start maintenance: clip', 'to see');
    await row(page, 'clip').getByText('set by operator@example.com').waitFor();
    await page.getByRole('button', { name: 'Unpublish: clip' }).click();
    await gateway.reload(without('clip'));
    expectAnswers(page, { status: 404, path: '/console/api/operator/model-switches' });
    await reasoned(page, 'Unpublish', 'to see');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Switches of models that are no longer in the config file' }).waitFor();
    await page.getByRole('button', { name: 'Remove: clip' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { name: 'Switches of models' }).waitFor({ state: 'detached' });
    await gateway.reload(configuration);
  }));

test('the catalogue and the table are fit for a phone, in Chinese and in the dark', () =>
  browser.visit({ origin: gateway.url, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page) => {
    await goTo(page, operator, modelsOf());
    const seen = card(page, 'talker');
    for (const words of ['视觉理解', '工具调用', '可用', '最多输出 4,096 个 token'])
      await seen.getByText(words).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await page.goto(tablePath);
    await page.getByRole('button', { name: '开始维护：talker' }).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
  }));

test('operators see how the providers do, on a desk and on a phone', async () => {
  const send = (prompt: string) =>
    gateway.post('/v1/images/generations', { model: 'vendor/painter-1.5', prompt, size: '1024x1024' });
  assert.equal((await send('A toll gate')).status, 200);
  assert.equal((await send('[sim:policy]')).status, 400);
  const talk = { model: 'talker', messages: [{ role: 'user', content: '[sim:status=503]' }] };
  assert.ok((await gateway.post('/v1/chat/completions', talk)).status >= 500);
  const path = '/console/operator/providers';
  await browser.visit({ origin: gateway.url }, async (page) => {
    await goTo(page, operator, path);
    const main = card(page, 'main');
    const tasks = main.getByRole('row', { name: /^hour/ });
    assert.match(await tasks.innerText(), /^hour\s+1\s+1\s+0\s+0$/);
    assert.match(await main.innerText(), /Reachable · checked[\s\S]*Concurrency\s+0 of 40/);
    await main.getByText('100% of 1 succeeded').first().waitFor();
    await main
      .getByText(/median \d/)
      .first()
      .waitFor();
    const talks = await card(page, 'talks').innerText();
    assert.match(talks, /openai · 127\.0\.0\.1:9[\s\S]*Unreachable · checked[\s\S]*talker upstream: gpt · priority 2/);
    assert.ok(!(await page.content()).includes('sk-of-the-operator'));
    // The call failed at both of its routes.
    await card(page, 'talks').getByText('0% of 1 succeeded').first().waitFor();
    await main.getByText('upstream_error × 1').first().waitFor();
    await main.getByText('Degraded').first().waitFor();
    await audited(page);
  });
  const phone = { origin: gateway.url, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' } as const;
  await browser.visit(phone, async (page) => {
    await goTo(page, operator, path);
    await card(page, 'main').getByText('连接正常').waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
  });
});
