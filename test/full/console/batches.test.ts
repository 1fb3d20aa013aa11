/** The console's pages of batches, in a browser: a file is uploaded and becomes a batch, which moves on, ends and is cancelled there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, type VisitOptions } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { openAs } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway()));
after(() => gateway.stop());

const liveMs = 60_000;
const chat = '/v1/chat/completions';
const lineOf = (customId: string, prompt: string) =>
  JSON.stringify({
    ...{ custom_id: customId, method: 'POST', url: chat },
    body: { model: 'sim-chat', messages: [{ role: 'user', content: prompt }], max_tokens: 50 },
  });

type Options = Omit<VisitOptions, 'origin'> & { balance?: string; isOperator?: boolean };

/** Lets the owner of a new account in, on the page of batches. */
async function visit({ balance = '10', isOperator = false, ...options }: Options, work: (page: Page) => Promise<void>) {
  const { account } = await gateway.newKey({ balance });
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }], isOperator });
  await browser.visit({ ...options, origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, `/console/${account}/batches`);
    await work(page);
  });
}

/** Chooses a file of these lines in the form of a new batch. */
async function choose(page: Page, lines: readonly string[]): Promise<void> {
  const buffer = Buffer.from(`${lines.join('\n')}\n`);
  const file = { name: 'lines.jsonl', mimeType: 'application/jsonl', buffer };
  await page.locator('input[type=file]').setInputFiles(file);
}

test('a file is uploaded, becomes a batch, and its answers are downloaded', async () => {
  await visit({}, async (page) => {
    await page.getByText('No batches yet').waitFor();
    await audited(page);
    await page.getByRole('link', { name: 'New batch' }).click();
    await page.getByRole('heading', { name: 'New batch' }).waitFor();
    await choose(page, [lineOf('a', 'Count'), lineOf('b', '[sim:status=400] no'), lineOf('c', 'Count')]);
    await page.locator('.ant-select').getByText(chat).waitFor();
    await page.getByRole('button', { name: 'Add pair' }).click();
    await page.getByLabel('Name 1').fill('job');
    await page.getByLabel('Value 1').fill('nightly');
    await audited(page);
    await page.getByRole('button', { name: 'Upload and create' }).click();
    await page.getByRole('heading', { name: 'Batch', exact: true }).waitFor();
    await page.locator('.tg-batch-title').getByText('Completed').waitFor({ timeout: liveMs });
    await page.getByText('3 of 3 lines · 1 failed').first().waitFor();
    await page.locator('dd', { hasText: 'nightly' }).waitFor();
    await page.getByRole('heading', { name: 'Errors by code' }).waitFor();
    await audited(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download Output' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /_output\.jsonl$/);
    assert.equal(await page.getByRole('button', { name: 'Cancel batch' }).count(), 0);
    await page.getByRole('link', { name: 'All batches' }).click();
    await page.getByRole('link', { name: chat }).waitFor();
    const withStatus = async (name: string) => {
      await page.getByRole('combobox', { name: 'Status' }).click();
      await page.locator('.ant-select-item-option', { hasText: name }).click();
    };
    await withStatus('Expired');
    await page.getByText('No batches with this status.').waitFor();
    await page.reload();
    await page.getByText('No batches with this status.').waitFor();
    await withStatus('Completed');
    await page.getByRole('link', { name: chat }).waitFor();
    await audited(page);
  });
});

test('mistakes of the file are shown with their lines', async () => {
  await visit({}, async (page) => {
    await page.getByRole('link', { name: 'New batch' }).click();
    await choose(page, [lineOf('a', 'one'), lineOf('a', 'the same id'), 'no JSON']);
    await page.locator('.ant-select').getByText(chat).waitFor();
    await page.getByRole('button', { name: 'Upload and create' }).click();
    await page.getByText('The file has 2 mistakes').waitFor({ timeout: liveMs });
    const rows = page.getByRole('table', { name: 'Mistakes in the file' }).locator('tbody tr');
    assert.deepEqual(await rows.locator('th').allTextContents(), ['2', '3']);
    await audited(page);
  });
});

test('a batch without money says why it stands still, and is cancelled after a question', async () => {
  await visit({ balance: '0' }, async (page) => {
    await page.getByRole('link', { name: 'New batch' }).click();
    await choose(page, [lineOf('a', 'one')]);
    await page.locator('.ant-select').getByText(chat).waitFor();
    await page.getByRole('button', { name: 'Upload and create' }).click();
    await page.locator('.tg-batch-title').getByText('Paused: balance too low').waitFor({ timeout: liveMs });
    await page.getByRole('link', { name: 'See balance and ledger' }).waitFor();
    await audited(page);
    await page.getByRole('button', { name: 'Cancel batch' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No more lines are sent.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel batch' }).click();
    await page.locator('.tg-batch-title').getByText('Cancelled').waitFor({ timeout: liveMs });
  });
});

test('on a phone, in Chinese and in the dark, the pages fit, and an operator sees the batch among those of all accounts', async () => {
  const look = { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' } as const;
  await visit({ ...look, isOperator: true }, async (page) => {
    const list = page.url();
    await page.goto(`${list}/new`);
    await choose(page, [lineOf('a', '[sim:delay=600s] slow')]);
    await page.locator('.ant-select').getByText(chat).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await page.getByRole('button', { name: '上传并创建' }).click();
    await page.locator('.tg-batch-title').getByText('进行中').waitFor({ timeout: liveMs });
    for (const path of [page.url(), list, '/console/operator/batches']) {
      await page.goto(path);
      await page.getByText(chat).first().waitFor();
      await audited(page);
      await assertNoSidewaysScroll(page);
    }
  });
});
