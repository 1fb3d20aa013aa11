/** `/docs` in a real Chromium: guides first, every operation once, a search over all, both languages, accessible, light to load. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ApiDocument, groupsBelow, readDocument } from '../../console/src/docs/document.ts';
import { browser, type VisitOptions } from '../support/browser.ts';
import { becomesTrue } from '../support/page-condition.ts';
import { assertNoSidewaysScroll, audited } from '../support/browser/accessibility.ts';
import { firstLoad } from '../support/browser/first-load.ts';
import { expectAnswers } from '../support/browser/watch.ts';
import { signIn } from '../support/console.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { newPerson, password } from '../support/people.ts';

/** Over the wire: the page, its code, the guides of one language and the document. */
const firstLoadBytesMax = 200_000;

let gateway: TestGateway;
let api: ApiDocument;
before(async () => {
  gateway = await startTestGateway();
  api = readDocument((await gateway.get('/openapi.json')).body);
});
after(() => gateway.stop());

const looks = {
  'on a desk': { colorScheme: 'light', screen: 'desktop' },
  'in Chinese on a phone of 375 px in the dark': { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' },
} as const satisfies Record<string, Partial<VisitOptions>>;

const guideIds = ['authentication', 'errors', 'streaming', 'webhooks', 'idempotency', 'limits'];

for (const [name, look] of Object.entries(looks)) {
  test(`${name} it shows the guides and every operation once, with samples and examples, fit for everybody`, () =>
    browser.visit({ origin: gateway.url, ...look }, async (page) => {
      await opened(page);
      const shown = await page.evaluate(`[...document.querySelectorAll('article')].map(({ id }) => id)`);
      const operations = groupsBelow(api, '/v1').flatMap((group) => group.operations);
      assert.deepEqual(
        shown,
        operations.map(({ baseId }) => baseId),
      );
      assert.ok(operations.length > 60);
      const guides = await page.evaluate(`[...document.querySelectorAll('.docs-guide')].map(({ id }) => id)`);
      assert.deepEqual((guides as string[]).slice(0, guideIds.length), guideIds);
      const all = await page.evaluate(`document.querySelector('main').textContent`);
      assert.doesNotMatch(String(all), /\\u0000|\[0-9a-f\]|\{1,128\}/);
      await assertNoSidewaysScroll(page);
      // Judged once, with all that can be opened: it takes seconds.
      await page.evaluate(`document.querySelectorAll('.docs-later').forEach((one) => (one.open = true))`);
      await page.locator('.docs-try').last().waitFor({ state: 'attached' });
      await audited(page);
      await assertNoSidewaysScroll(page);
    }));
}

test('the first load is less than 200 kB over the wire, in either language', async () => {
  for (const locale of ['en-US', 'zh-CN'] as const)
    await browser.visit({ origin: gateway.url, locale }, async (page) => {
      const { bytes, files } = await firstLoad(page, '/docs', (loaded) =>
        loaded.getByRole('heading', { level: 1 }).waitFor(),
      );
      const list = files.map((file) => `${file.url}: ${file.bytes}`).join('\n');
      assert.ok(bytes < firstLoadBytesMax, `${bytes} bytes\n${list}`);
    });
});

test('an operation that the address names is in view, with its example in each language', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await opened(page, '#createImage');
    const card = page.locator('#createImage');
    await card.getByRole('heading', { level: 3 }).and(page.locator(':focus')).waitFor();
    await card.getByText('A toll gate in the morning fog').first().waitFor();
    await card.getByRole('radio', { name: 'Python' }).check();
    await card.getByText('OpenAI(').first().waitFor();
    await card.getByRole('combobox').first().selectOption({ label: 'An exact size' });
    await card.getByText('"1024x1536"').first().waitFor();
    await card.getByText('img_', { exact: false }).first().waitFor();
    assert.equal(await page.locator('#webhooks').getByRole('radio', { name: 'Python' }).isChecked(), true);
  }));

test('the sample stays beside the description while that is read', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await opened(page, '#createImage');
    const [words, side] = ['> div:first-child', '> .docs-side'].map((part) => page.locator(`#createImage ${part}`));
    const [left, right] = [await words!.boundingBox(), await side!.boundingBox()];
    assert.ok(left && right && right.x >= left.x + left.width, JSON.stringify([left, right]));
    await page.mouse.wheel(0, 400);
    await becomesTrue(
      page,
      `scrollY > 0 && document.querySelector('#createImage .docs-side').getBoundingClientRect().top < 80`,
    );
    assert.ok(((await side!.boundingBox())?.y ?? 0) >= 56);
  }));

describe('the search', () => {
  const found = {
    webhook: 'webhooks',
    insufficient_balance: 'error-insufficient_balance',
    'cancel video task': 'on_video_failed',
    max_running_tasks: 'createKey.max_running_tasks',
    'batch.expired': 'on_batch_expired',
  };
  for (const [words, id] of Object.entries(found)) {
    test(`finds ${id} by "${words}", by keyboard alone`, () =>
      browser.visit({ origin: gateway.url }, async (page) => {
        await opened(page);
        await page.keyboard.press('/');
        await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
        await page.keyboard.type(words);
        const result = page.locator(`.docs-results a[href="#${id}"]`);
        await result.waitFor();
        const isReached = result.and(page.locator(':focus'));
        for (let steps = 0; steps < 30 && (await isReached.count()) === 0; steps++)
          await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.waitForURL(`**/docs#${id}`);
        await becomesTrue(
          page,
          `((top) => top >= 0 && top < innerHeight)(document.getElementById('${id}').getBoundingClientRect().top)`,
        );
      }));
  }

  test('goes to its best result with Enter: "webhook" to the guide', () =>
    browser.visit({ origin: gateway.url }, async (page) => {
      await opened(page);
      await page.keyboard.press('/');
      await page.keyboard.type('webhook');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Webhooks', exact: true }).and(page.locator(':focus')).waitFor();
    }));
});

test('another root changes the addresses of all operations and samples', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await opened(page);
    const count = await page.locator('article').count();
    await page.getByLabel('Root').selectOption('/ai/v1');
    const card = page.locator('#createImage');
    await card.getByText('/ai/v1/images/generations', { exact: true }).first().waitFor();
    await card.getByText(`${gateway.url}/ai/v1/images/generations`, { exact: false }).first().waitFor();
    await page.locator('#authentication').getByText(`${gateway.url}/ai/v1/chat`, { exact: false }).first().waitFor();
    assert.equal(await page.locator('article').count(), count);
  }));

test('the language can be changed, and is kept', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await opened(page);
    await page.getByRole('button', { name: '中文' }).click();
    const chinese = async () => {
      await page.getByRole('heading', { name: '身份验证' }).waitFor();
      await page.locator('#createImage').getByRole('heading', { name: '生成图片' }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.lang'), 'zh-CN');
    };
    await chinese();
    await page.reload();
    await chinese();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Authentication' }).waitFor();
  }));

test('in Chinese nothing that the document says is left in English', () =>
  browser.visit({ origin: gateway.url, locale: 'zh-CN' }, async (page) => {
    await opened(page);
    await page.locator('#createImage').getByRole('option', { name: '文生图' }).waitFor({ state: 'attached' });
    // What is nested is drawn when it is opened.
    for (let depth = 0; depth < 3; depth++)
      await page.evaluate(`document.querySelectorAll('.docs-later').forEach((one) => (one.open = true))`);
    await page.locator('#createImage').getByText('参考图。最多 14 张；建议不超过 6 张。').waitFor();
    assert.deepEqual(await page.evaluate(englishShown), []);
  }));

test('sends a request with a pasted key, shows what came, puts the key into the samples, and stores nothing', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await opened(page, '#createChatCompletion');
    const card = page.locator('#createChatCompletion');
    await card.getByText('Try it').click();
    await card.getByLabel('API key').fill(gateway.key);
    await card.getByText(`Bearer ${gateway.key}`, { exact: false }).first().waitFor();
    await page.locator('#authentication').getByText(`Bearer ${gateway.key}`, { exact: false }).first().waitFor();
    await card.getByRole('button', { name: 'Send' }).click();
    await card.getByRole('region', { name: 'Response' }).getByText('You wrote').waitFor();
    await card.locator('.docs-try').getByRole('combobox').selectOption({ label: 'Streaming' });
    await card.getByRole('button', { name: 'Send' }).click();
    await card.getByRole('region', { name: 'Response' }).getByText('data: [DONE]').waitFor();
    await card.getByLabel('Request body').fill('{');
    await card.getByRole('button', { name: 'Send' }).click();
    await card.getByText('Invalid JSON').waitFor();
    const stored = await page.evaluate(
      `JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) + document.cookie`,
    );
    assert.equal(stored, '[{},{}]');
    await page.reload();
    await card.getByText('Try it').click();
    assert.equal(await card.getByLabel('API key').inputValue(), '');
  }));

test('an owner who is signed in to the console tries a request without a key; others are asked to sign in', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    const { email } = await newPerson(gateway);
    expectAnswers(page, { status: 401, path: '/console/api/session' });
    const card = page.locator('#createChatCompletion');
    const useSession = async () => {
      await opened(page, '#createChatCompletion');
      await card.getByText('Try it').click();
      await card.getByRole('button', { name: 'Use my console session' }).click();
    };
    await useSession();
    await card.getByText('You are not signed in').waitFor();
    await signIn(page, { url: gateway.url, email, password });
    await useSession();
    await card.getByLabel('Account that pays').waitFor();
    await card.getByRole('button', { name: 'Send' }).click();
    await card.getByRole('region', { name: 'Response' }).getByText('You wrote').waitFor();
    const keys = page.locator('#listKeys');
    await keys.getByText('Try it').click();
    await keys.getByText('Enter an API key.').waitFor(); // no session administers keys
    assert.equal(await keys.getByRole('button', { name: 'Send' }).isDisabled(), true);
  }));

test('says so when the document can not be had, and asks again', () =>
  browser.visit({ origin: gateway.url, expectAnswers: [{ status: 503, path: '/openapi.json' }] }, async (page) => {
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
    await page.goto('/docs');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
  }));

/** Texts of operations with two English words in a row, and none in Chinese; code apart. */
const englishShown = `[...document.querySelectorAll('article :is(p, dd, dt, h3, h4, summary, option, label, button, em)')]
  .map((one) => {
    const copy = one.cloneNode(true);
    copy.querySelectorAll('code, .docs-later, .docs-line, small').forEach((code) => code.remove());
    return copy.textContent.trim();
  })
  .filter((text) => /[a-z]{2,} [a-z]{2,}/i.test(text) && !/[一-龥]/.test(text))`;

async function opened(page: Page, hash = ''): Promise<void> {
  await page.goto(`/docs${hash}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
